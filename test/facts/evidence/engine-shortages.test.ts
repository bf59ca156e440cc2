import { describe, expect, it } from 'vitest';
import { ofEngineCore, type Raised, tracebackOf, verdictOf } from '../raised-error.ts';

describe('an error of an engine that says that memory was short is memory', () => {
  it.each<readonly [cause: string, certain: boolean, ...Raised]>([
    [
      'host.shm',
      true,
      'RuntimeError',
      'Insufficient space in /dev/shm for message queue: 160 MiB required, 64 MiB free. Increase /dev/shm (e.g. --shm-size or --ipc=host).',
      'vllm/distributed/device_communicators/shm_broadcast.py',
      'check_shm_free_space',
    ],
    [
      'gpu.startup.kv-room',
      true,
      'RuntimeError',
      '[unified-memory-pool] UnifiedKVPool.finalize_backing: byte budget 2147483648 cannot fit ONE worst-case request (bs=1 floor 4294967296 = kv=4294967296). A pool this size retract-livelocks at runtime. Raise --mem-fraction-static, lower the model context length, or reduce reserved memory.',
      'sglang/srt/mem_cache/unified_memory_pool.py',
      '_check_bs1_feasibility_floor',
    ],
  ])('vLLM, %s, certain: %s, %s: %s', async (cause, certain, ...raised) => {
    expect(await verdictOf(ofEngineCore(raised))).toMatchObject({ plane: cause.split('.')[0], cause, certain });
  });

  it.each<readonly [cause: string, ...Raised]>([
    [
      'host.offload',
      'RuntimeError',
      'Failed to allocate memory block of size 67108864 because no memory is available',
      'lmcache/v1/memory_management.py',
      'allocate',
    ],
  ])('%s: %s: %s', async (cause, ...raised) => {
    expect(await verdictOf(tracebackOf(raised))).toMatchObject({ plane: cause.split('.')[0], cause });
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
