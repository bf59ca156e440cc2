import { describe, expect, it } from 'vitest';
import { GIB, kvBytesPerToken, sizePool, weightBytes } from '../../src/playground/engine/arithmetic.ts';
import { MODELS, type Model } from '../../src/playground/engine/models.data.ts';

const modelOf = (name: string): Model => MODELS[name] as Model;
const LLAMA_8B = modelOf('meta-llama/Llama-3.1-8B-Instruct');
const LLAMA_70B = modelOf('meta-llama/Llama-3.1-70B-Instruct');
const QWEN_CODER = modelOf('Qwen/Qwen3-30B-A3B');

// Printed by real engines; the issue that has the log is named.
describe('the arithmetic of the simulated engines gives what real engines printed', () => {
  it.each([
    ['Llama-3.1-8B', LLAMA_8B, 1, 131_072],
    ['Llama-3.1-8B on 2 GPUs', LLAMA_8B, 2, 65_536],
    ['Llama-3.1-70B', LLAMA_70B, 1, 327_680],
    ['Qwen3-30B-A3B', QWEN_CODER, 1, 98_304],
    ['Qwen2.5-7B', modelOf('Qwen/Qwen2.5-7B-Instruct'), 1, 57_344],
    ['Qwen2.5-32B', modelOf('Qwen/Qwen2.5-32B-Instruct'), 1, 262_144],
  ])('KV cache of one token: %s', (_name, model, ranks, bytes) => {
    expect(kvBytesPerToken(model, ranks)).toBe(bytes);
  });

  it('weights: "Model loading took 14.9889 GiB"', () => {
    expect(weightBytes(LLAMA_8B) / GIB).toBeCloseTo(14.96, 2);
  });

  it('vllm#11251: two V100 at 0.90, 3852 blocks, 1.54x for 40,000 tokens', () => {
    const availableBytes = (15.77 * 0.9 - 7.51 - 0.39 - 2.53) * GIB;
    const bytesPerToken = kvBytesPerToken(LLAMA_8B, 2);
    const pool = sizePool({ availableBytes: 3852 * 16 * bytesPerToken, bytesPerToken, maxModelLen: 40_000 });

    expect(availableBytes / GIB).toBeCloseTo(3.76, 2);
    expect(pool).toMatchObject({ blocks: 3852, tokens: 61_632 });
    expect((pool.tokens * bytesPerToken) / GIB).toBeCloseTo(3.76, 2);
    expect(pool.concurrency).toBeCloseTo(1.54, 2);
  });

  it('vllm#34076: 262,144 tokens need 24.0 GiB, 3.18 GiB hold 34,736', () => {
    const bytesPerToken = kvBytesPerToken(QWEN_CODER);
    const pool = sizePool({ availableBytes: 2171 * 16 * bytesPerToken, bytesPerToken, maxModelLen: 262_144 });

    expect(pool.neededBytes / GIB).toBe(24);
    expect(pool.availableBytes / GIB).toBeCloseTo(3.18, 2);
    expect(pool.estimatedLength).toBe(34_736);
  });

  it('an A100 of 40 GB: 19.92 GiB hold 163,168 tokens, 3.98x for 40,960', () => {
    const bytesPerToken = kvBytesPerToken(LLAMA_8B);
    // The printed figure is rounded down to the block below.
    const pool = sizePool({ availableBytes: 19.919 * GIB, bytesPerToken, maxModelLen: 40_960 });

    expect(pool.tokens).toBe(163_168);
    expect(pool.concurrency).toBeCloseTo(3.98, 2);
  });

  it('kaito#2132: 1,048,576 tokens need 22.5 GiB, and 17.39 GiB hold 810,208', () => {
    const pool = sizePool({ availableBytes: 17.386 * GIB, bytesPerToken: 23_040, maxModelLen: 1_048_576 });

    expect(pool.neededBytes / GIB).toBe(22.5);
    expect(Math.abs(pool.estimatedLength - 810_208)).toBeLessThanOrEqual(64);
  });

  it('vllm#16118: Llama 4 on 8 GPUs needs 24.00 GiB for 1,048,576 tokens', () => {
    expect(sizePool({ availableBytes: 0, bytesPerToken: 24_576, maxModelLen: 1_048_576 }).neededBytes / GIB).toBe(24);
  });

  it('70B w8a8 at 0.98: 1381 blocks, 22,096 tokens, 10.79x for 2048, 6.74 GiB', () => {
    const bytesPerToken = kvBytesPerToken(LLAMA_70B);
    const pool = sizePool({ availableBytes: 1381 * 16 * bytesPerToken, bytesPerToken, maxModelLen: 2048 });

    expect(pool.tokens).toBe(22_096);
    expect(pool.concurrency).toBeCloseTo(10.79, 2);
    expect(pool.availableBytes / GIB).toBeCloseTo(6.74, 2);
  });
});
