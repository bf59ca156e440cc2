import { describe, expect, it } from 'vitest';
import { diagnoseFiles, type Files, logged } from '../incident.ts';

const BELOW =
  'CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.';
const HICACHE =
  '  File "/sgl-workspace/sglang/python/sglang/srt/mem_cache/memory_pool_host.py", line 84, in init_kv_buffer';
const EMPTY = '    return torch.empty(dims, dtype=self.dtype, device=self.device, pin_memory=True)';
const LMCACHE =
  '  File "/opt/venv/lib/python3.12/site-packages/lmcache/v1/memory_management.py", line 1285, in __init__';

const REFUSED: readonly (readonly [string, ...string[]])[] = [
  ['LMCache', LMCACHE, 'RuntimeError: Unable to pin host memory with error code: -1'],
  [
    'LMCache before 0.3.3',
    LMCACHE,
    '    buffer = torch.empty(size, dtype=torch.uint8, pin_memory=True)',
    'RuntimeError: CUDA error: invalid argument',
    BELOW,
  ],
  ['HiCache', 'Traceback (most recent call last):', HICACHE, EMPTY, 'RuntimeError: CUDA error: out of memory', BELOW],
  [
    'HiCache, PyTorch 2.8',
    'Traceback (most recent call last):',
    HICACHE,
    EMPTY,
    'torch.AcceleratorError: CUDA error: invalid argument',
    BELOW,
  ],
  [
    'HiCache that registers',
    '    torch.cuda.cudart().cudaHostRegister(',
    'RuntimeError: cudaHostRegister failed: cudaError.cudaErrorMemoryAllocation',
  ],
  ['TensorRT-LLM', '[TensorRT-LLM][ERROR] CUDA runtime error in ::cudaMallocHost(ptr, n): out of memory'],
];

const cardOf = async (files: Files) => {
  const { verdict, next } = (await diagnoseFiles(files)).diagnosis;
  return { verdict, advice: [...verdict.remedies.map(({ says }) => says), ...next].join('\n') };
};

describe('pinned memory that was refused', () => {
  it.each(REFUSED)('is a matter of the locked-memory limit first, %s', async (_, ...lines) => {
    const { verdict, advice } = await cardOf(logged(...lines));

    expect(verdict).toMatchObject({ plane: 'host', cause: 'host.offload', certain: false });
    expect(advice).toContain('ulimit -l');
    expect(advice).not.toContain('memory limit by half');
  });

  it('is a matter of RAM where the container was killed for it', async () => {
    const describeText = 'Last State: Terminated\n  Reason: OOMKilled\n  Exit Code: 137\nLimits:\n  memory: 20Gi\n';
    const { verdict, advice } = await cardOf({ ...logged(HICACHE, EMPTY), 'describe.txt': describeText });

    expect(verdict).toMatchObject({ plane: 'host', certain: true });
    expect(advice).not.toContain('ulimit -l');
  });
});
