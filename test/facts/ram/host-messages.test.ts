import { describe, expect, it } from 'vitest';
import { type Files, known, logged, verdictOfFiles } from '../incident.ts';

const verdictOf = (files: Files, uptime = 'startup') => verdictOfFiles({ ...files, ...known({ uptime }) });

const ofLog = (line: string, uptime?: string) => verdictOf(logged(line), uptime);

describe('host memory, as those say who watch over a process', () => {
  it.each([
    [
      'slurmstepd: error: Detected 1 oom_kill event in StepId=7.batch. Some of the step tasks have been OOM Killed.',
      true,
    ],
    ['2026-03-12T12:14:22Z container oom 4f5e6a7b8c9d0e1f2a3b4c5d6e7f8a9b (image=vllm, name=vllm)', true],
    ['OCI runtime create failed: container init was OOM-killed (memory limit too low?): unknown', true],
    ['vllm exited with code 137', false],
  ])('%s', async (line, certain) => {
    expect(await ofLog(line)).toMatchObject({ plane: 'host', certain });
  });

  it.each([
    'systemd-oomd[9]: Killed /system.slice/a.service due to memory used (66571993088) / total (67256221696) and swap used',
    'earlyoom[904]: sending SIGTERM to process 26 uid 996 "llama-server": badness 1022, VmRSS 11791 MiB',
    '[12.3] Kernel panic - not syncing: Out of memory: system-wide panic_on_oom is enabled',
  ])('of the node: %s', async (line) => {
    expect(await ofLog(line)).toMatchObject({ plane: 'host', cause: 'host.node-pressure' });
  });
});

describe('host memory, as the allocators of each language refuse it', () => {
  it.each([
    'ggml_aligned_malloc: insufficient memory (attempted to allocate 60438.47 MB)',
    'ggml_gallocr_reserve_n_impl: failed to allocate CPU buffer of size 63374323968',
    'LLVM ERROR: out of memory',
    // In words that no phrase knows.
    'the job was OOM killed by the platform',
  ])('%s', async (line) => {
    expect(await ofLog(line)).toMatchObject({ plane: 'host' });
  });
});

describe('shared memory', () => {
  it.each([
    'RuntimeError: unable to mmap 1048576 bytes from file </torch_18_19>: Cannot allocate memory (12)',
    'ray.exceptions.ObjectStoreFullError: Failed to put object ff01 in object store because it is full.',
  ])('%s', async (line) => {
    expect(await ofLog(line, 'hours')).toMatchObject({ plane: 'host', cause: 'host.shm' });
  });
});

describe('words of memory about something else', () => {
  it.each([
    [
      'a card that may not lock pages',
      'NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory',
      'none.comm',
    ],
    ['a full disk', "OSError: [Errno 28] No space left on device: '/root/.cache/hub/x.incomplete'", 'none.other'],
    ['a heap that was written over', 'malloc(): corrupted top size', 'none.other'],
    ['the bound of a cache server', "OOM command not allowed when used memory > 'maxmemory'.", 'none.config'],
  ])('%s', async (_name, line, cause) => {
    expect(await ofLog(line)).toMatchObject({ plane: 'none', cause });
  });

  it.each([['process numbers', 'The node had condition: [PIDPressure]. ']])(
    'an eviction for %s',
    async (_name, message) => {
      const pod = { metadata: { name: 'p' }, status: { phase: 'Failed', reason: 'Evicted', message } };

      expect(await verdictOf({ 'pod.json': JSON.stringify(pod) })).toMatchObject({
        plane: 'none',
        cause: 'none.other',
      });
    },
  );

  it.each([
    'warning: failed to mlock 4294967296-byte buffer (after previously locking 0 bytes): Cannot allocate memory',
  ])('is certain of nothing: %s', async (line) => {
    expect(await ofLog(line)).toMatchObject({ certain: false });
  });
});

describe('a notebook that breaks off', () => {
  it('in the middle of the weights has run out of RAM, as a guess', async () => {
    expect(await ofLog('Loading checkpoint shards:  50% 1/2 [01:23<01:23, 83.38s/it]^C')).toMatchObject({
      plane: 'host',
      cause: 'host.startup.weight-staging',
      certain: false,
    });
  });
});

describe('a start without a last word', () => {
  it.each([
    'Loading checkpoint shards: 100%|██████████| 8/8 [00:51<00:00, 10.18s/it]',
    'Loading checkpoint shards:  62%|██████    | 5/8 [00:51<00:30, 10.18s/it]\nthe engine says goodbye',
    'Loading checkpoint shards:  62%|██████    | 5/8 [00:51<00:30, 10.18s/it]\nRuntimeError: the widget is odd',
  ])('is not one that came further: %s', async (log) => {
    expect((await ofLog(log)).plane).not.toBe('host');
  });
});

describe('page-locked memory', () => {
  const frame = (code: string) => `  File "/app/memory.py", line 12, in __init__\n    ${code}\n       ^^^^\n`;
  const invalid = 'RuntimeError: CUDA error: invalid argument';

  it.each([
    [
      'an invalid argument in a frame further in',
      `${frame('buffer = torch.empty(size, pin_memory=True)')}${frame('launch(grid)')}${invalid}`,
    ],
    ['an invalid argument of a kernel', `${frame('launch(grid)')}${invalid}`],
    [
      'another error of that frame',
      `${frame('buffer = torch.empty(size, pin_memory=True)')}TypeError: empty() got an unexpected keyword`,
    ],
    [
      'no driver to lock pages with',
      'W1 pinned_memory_manager.cc:236] Unable to allocate pinned system memory, pinned memory pool will not be available: CUDA driver version is insufficient for CUDA runtime version',
    ],
  ])('was not short: %s', async (_name, log) => {
    expect((await ofLog(log)).plane).not.toBe('host');
  });
});
