import { describe, expect, it } from 'vitest';
import { verdictOf } from '../raised-error.ts';

const cutAt = (file: string, fn: string) =>
  [
    'Scheduler hit an exception: Traceback (most recent call last):',
    `  File "/x/dist-packages/${file}", line 60, in ${fn}`,
  ].join('\n');

describe('an engine that finds no room for what comes after the weights', () => {
  it('is known by its check where the refusal is cut off', async () => {
    expect(
      await verdictOf(cutAt('sglang/srt/model_executor/model_runner_kv_cache_mixin.py', '__post_init__')),
    ).toMatchObject({ phase: 'startup', cause: 'gpu.startup.kv-room' });
    expect(
      await verdictOf(cutAt('sglang/srt/model_executor/model_runner_kv_cache_mixin.py', 'init_memory_pool')),
    ).toMatchObject({ cause: 'gpu.startup.utilization', certain: false });
  });

  it('reads an engine of TensorRT that does not fit as its weights', async () => {
    const log = [
      '[TensorRT-LLM][INFO] MPI size: 1, MPI local size: 1, rank: 0',
      '[TensorRT-LLM][ERROR] [engine.cpp::readEngineFromArchive::1093] Error Code 2: OutOfMemory (Requested size was 141113163776 bytes.)',
    ].join('\n');

    expect(await verdictOf(log)).toMatchObject({ phase: 'startup', cause: 'gpu.startup.weights' });
  });

  it('has a neighbour on each card that NIM does not call free', async () => {
    const listed = (free: string) =>
      [
        'SYSTEM INFO',
        `- Free GPUs:${free}`,
        '- Non-free GPUs:',
        '  -  [20f1:10de] (0) NVIDIA A100 [current utilization: 86%]',
      ].join('\n');

    expect(await verdictOf(listed(' <None>'))).toMatchObject({ cause: 'gpu.startup.shared-gpu', certain: false });
    expect(await verdictOf(listed('\n  -  [20f1:10de] (1) NVIDIA A100 [current utilization: 0%]'))).toMatchObject({
      plane: 'unknown',
    });
  });
});
