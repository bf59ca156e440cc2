import { describe, expect, it } from 'vitest';
import { verdictOf } from '../raised-error.ts';

const planeOf = async (log: string) => (await verdictOf(log)).plane;

const warns = (said: string, file = 'worker.py:237') => `(EngineCore pid=170) WARNING 11-20 09:00:12 [${file}] ${said}`;

describe('a warning that says what is done in its place', () => {
  it.each([
    'Pinned memory not available. CPU offload performance may be degraded.',
    'pin_memory failed for shm_name=kv size=1073741824; D2H copies will be synchronous',
    'Pinned host allocation failed on device 0; falling back to unpinned allocation from now on.',
    'cudaHostRegister failed (code=1) — transfers will still work but may be slower (unpinned DMA)',
    'Engram huge-page allocation failed (errno 12); using pinned memory.',
    "Using 'pin_memory=False' as WSL is detected. This may slow down the performance.",
    'Insufficient /dev/shm capacity: need 1073741824 bytes, have 67108864 bytes. Disabling SHM, falling back to pickle.',
    'No blocks to push for request cmpl-1',
    'max_total_tokens=65536 is larger than the profiled value 40000. Use the profiled value instead.',
  ])('%s', async (said) => {
    expect(await planeOf(warns(said))).toMatch(/^(?:none|unknown)$/);
  });

  it('nor does the file whose logger writes name a memory', async () => {
    expect(await planeOf(warns('xpu_ops lacks host-registration operations', 'pin_memory.py:43'))).toBe('unknown');
  });

  it('but what was refused for want of RAM is said all the same', async () => {
    expect(await planeOf('RuntimeError: cudaHostRegister failed: out of memory')).toBe('host');
    expect(await planeOf(warns('cudaHostAlloc of 64 GiB: out of memory'))).toBe('host');
  });

  it('a kill that the engine sends is none that it suffers', async () => {
    expect(await planeOf('Process was killed by SIGKILL')).toBe('host');
    expect(await planeOf('WARNING SIGKILL orphan pid 4096 on GPUs 0')).toBe('unknown');
  });
});
