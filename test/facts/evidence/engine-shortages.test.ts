import { describe, expect, it } from 'vitest';
import { ofEngineCore, tracebackOf, verdictOf } from '../raised-error.ts';

describe('an error of an engine that says that memory was short is memory', () => {
  it.each<[cause: string, says: string, file: string, fn: string]>([
    [
      'host.shm',
      'Insufficient space in /dev/shm for message queue: 160 MiB required, 64 MiB free. Increase /dev/shm (e.g. --shm-size or --ipc=host).',
      'vllm/distributed/device_communicators/shm_broadcast.py',
      'check_shm_free_space',
    ],
    [
      'gpu.startup.kv-room',
      '[unified-memory-pool] UnifiedKVPool.finalize_backing: byte budget 2147483648 cannot fit ONE worst-case request (bs=1 floor 4294967296 = kv=4294967296). A pool this size retract-livelocks at runtime. Raise --mem-fraction-static, lower the model context length, or reduce reserved memory.',
      'sglang/srt/mem_cache/unified_memory_pool.py',
      '_check_bs1_feasibility_floor',
    ],
  ])('of a core that did not start, and is certain: %s: %s', async (cause, ...error) => {
    const plane = cause.split('.')[0];

    expect(await verdictOf(ofEngineCore(['RuntimeError', ...error]))).toMatchObject({ plane, cause, certain: true });
  });

  it('of the pool of LMCache', async () => {
    const says = 'Failed to allocate memory block of size 67108864 because no memory is available';
    const raised = ['RuntimeError', says, 'lmcache/v1/memory_management.py', 'allocate'] as const;

    expect(await verdictOf(tracebackOf(raised))).toMatchObject({ plane: 'host', cause: 'host.offload' });
  });

  it.each([
    ['15523446784', '15003353088', 'none.other'],
    ['15523446784', '15523446784', 'none.driver'],
  ])('V0 compared what was used before and after its trial run: %s, then %s', async (before, after, cause) => {
    const message = `Error in memory profiling. Initial used memory ${before}, currently used memory ${after}. This happens when the GPU memory was not properly cleaned up before initializing the vLLM instance.`;
    const fn = '_assert_memory_footprint_increased_during_profiling';

    expect(await verdictOf(ofEngineCore(['AssertionError', message, 'vllm/worker/worker.py', fn]))).toMatchObject({
      plane: 'none',
      cause,
    });
  });
});
