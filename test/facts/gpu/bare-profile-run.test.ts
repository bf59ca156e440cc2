import { describe, expect, it } from 'vitest';
import { type Files, logged, verdictOfFiles } from '../incident.ts';

const V1 = [
  'INFO 09-14 10:00:40 [core.py:58] Initializing a V1 LLM engine (v0.10.1) with config: model=x',
  'Traceback (most recent call last):',
  '  File "/usr/local/lib/python3.12/dist-packages/vllm/v1/engine/core.py", line 190, in _initialize_kv_caches',
  '    self.model_executor.determine_available_memory())',
];
const V0 = [
  'INFO 06-14 10:00:40 llm_engine.py:161] Initializing an LLM engine (v0.5.0) with config: model=x',
  'Traceback (most recent call last):',
  '  File "/usr/local/lib/python3.10/dist-packages/vllm/worker/model_runner.py", line 844, in profile_run',
];
const CUBLAS = 'RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`';
const BARE = 'RuntimeError: CUDA error: out of memory';
const FIGURES =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.19 GiB. GPU 0 has a total capacity of 24.00 GiB of which 0.71 GiB is free. Of the allocated memory 20.89 GiB is allocated by PyTorch, and 100.00 MiB is reserved by PyTorch but unallocated.';

const verdictOf = (lines: readonly string[], files: Files = {}) => verdictOfFiles({ ...logged(...lines), ...files });

describe('a profile run that fails without figures of the GPU', () => {
  it.each([
    ['cuBLAS, V1', [...V1, CUBLAS]],
    ['cuBLAS, V0', [...V0, CUBLAS]],
    ['CUDA, V1', [...V1, BARE]],
  ])('leaves another process on the GPU open: %s', async (_, lines) => {
    const verdict = await verdictOf(lines);

    expect(verdict).toMatchObject({ cause: 'gpu.startup.profiling', certain: true, causeCertain: false });
    expect(verdict.alternatives).toContain('gpu.startup.shared-gpu');
  });

  it('is certain with the figures of PyTorch', async () => {
    expect(await verdictOf([...V1, FIGURES])).toMatchObject({ cause: 'gpu.startup.profiling', causeCertain: true });
  });
});
