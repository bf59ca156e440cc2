import { describe, expect, it } from 'vitest';
import { blocksIn, concurrency, swapBlocks, wholeBlocks } from '../../src/budget/blocks.ts';
import { kvBytesPerToken } from '../../src/budget/kv-bytes.ts';
import { vllmSplitPool } from '../../src/budget/pools.ts';
import { amountOf, GIB, MIB, type Reckoned } from '../../src/budget/reckoned.ts';
import { bytesPerTokenOf, longestLength, readTorchLine } from '../../src/budget/safe-settings.ts';
import { weightBytes } from '../../src/budget/weights.ts';
import { modelFamily } from '../../src/model/model-table.ts';

// Numbers as engines printed them in public reports; what is compared is compared as printed.
const gib = (value: Reckoned | number, digits = 2) =>
  ((typeof value === 'number' ? value : (amountOf(value) ?? Number.NaN)) / GIB).toFixed(digits);

function shapeOf(model: string) {
  const family = modelFamily(model);
  if (family === undefined) throw new Error(`no family for ${model}`);
  return family.shape;
}

function pool(poolBytes: number, bytesPerToken: number) {
  const found = blocksIn({ poolBytes, bytesPerToken });
  if (found.kind === 'unknown') throw new Error('unknown');
  return found;
}

describe('worked examples', () => {
  it('1: vLLM V0, two V100 16 GB, Llama-8B', () => {
    const total = 15.77 * GIB;
    const parts = { weightsBytes: 7.51 * GIB, nonTorchBytes: 0.39 * GIB, activationBytes: 2.53 * GIB };
    const perToken = kvBytesPerToken(shapeOf('Llama-3-8B'), { tensorParallel: 2 });

    const kv = vllmSplitPool({ totalBytes: total, utilization: 0.9, ...parts });

    expect(gib(kv)).toBe('3.76');
    expect(perToken).toBe(65_536);
    expect(3852 * 16).toBe(61_632);
    expect(gib(61_632 * perToken)).toBe('3.76');
    expect(concurrency(3852, 40_000).toFixed(2)).toBe('1.54');
    expect(amountOf(swapBlocks(4 * GIB, 16 * perToken))).toBe(4096);
    expect(gib(total * 0.1)).toBe('1.58');
    const line = readTorchLine({
      wantBytes: 524 * MIB,
      freeBytes: 137 * MIB,
      totalBytes: total,
      allocatedBytes: undefined,
      slackBytes: undefined,
      ownBytes: undefined,
    });
    expect(amountOf(line.lowerBy)).toBeCloseTo((2 * 387) / 1024 / 15.77, 6);
  });

  it('2: vLLM V1, Qwen3-Coder-30B-A3B', () => {
    const perToken = kvBytesPerToken(shapeOf('Qwen/Qwen3-Coder-30B-A3B-Instruct'));

    expect(gib(perToken * 262_144, 1)).toBe('24.0');
    expect(amountOf(bytesPerTokenOf(24 * GIB, 262_144))).toBe(98_304);
    expect(amountOf(longestLength(3.18 * GIB, perToken))).toBe(34_734);
    expect(gib(2171 * 16 * perToken, 3)).toBe('3.180');
  });

  it('3: vLLM V1, Llama-3.1-8B on an A100 40 GB', () => {
    const perToken = kvBytesPerToken(shapeOf('meta-llama/Llama-3.1-8B-Instruct'));
    const printed = pool(19.92 * GIB, perToken);

    expect(perToken).toBe(131_072);
    expect(amountOf(longestLength(19.92 * GIB, perToken))).toBe(163_184);
    expect(printed.blocks).toBe(10_199);
    // 19.92 is rounded up: the engine had 10,198 blocks.
    expect(gib(10_198 * 16 * perToken)).toBe('19.92');
    expect(10_198 * 16).toBe(163_168);
    expect(concurrency(10_198, 40_960).toFixed(2)).toBe('3.98');
  });

  it('4: KAITO on two H100 NVL', () => {
    const perToken = amountOf(bytesPerTokenOf(22.5 * GIB, 1_048_576));

    expect(perToken).toBe(23_040);
    expect(amountOf(longestLength(17.39 * GIB, perToken))).toBe(810_432);
    // 810,432.65: printed sums round it, a length is whole tokens.
    expect(Math.round((17.39 * GIB) / 23_040)).toBe(810_433);
  });

  it('5: Llama-4 with eight ranks', () => {
    expect(gib(24_576 * 1_048_576)).toBe('24.00');
    expect(amountOf(bytesPerTokenOf(24 * GIB, 1_048_576))).toBe(24_576);
  });

  it('6: 70B at 8 bit and 0.98', () => {
    const perToken = kvBytesPerToken(shapeOf('RedHatAI/Llama-3.3-70B-Instruct-quantized.w8a8'));
    const kv = 1381 * 16 * perToken;

    expect(perToken).toBe(327_680);
    expect(1381 * 16).toBe(22_096);
    expect(concurrency(1381, 2048).toFixed(2)).toBe('10.79');
    expect(gib(kv)).toBe('6.74');
    expect(gib(67.72 * GIB + kv, 1)).toBe('74.5');
    expect((79.1 * 0.98).toFixed(1)).toBe('77.5');
    expect(wholeBlocks(22_100)).toBe(22_096);
  });
});

describe('weights of one GPU', () => {
  it.each([
    ['8.03 B at 16 bit', { parameters: 8.03e9, format: 'bfloat16' as const }, '14.96'],
    ['72.7 B at 16 bit on four', { parameters: 72.7e9, format: 'bfloat16' as const, tensorParallel: 4 }, '33.85'],
    ['70.6 B at 4 bit', { parameters: 70.6e9, format: 'awq' as const }, '36.82'],
  ])('%s', (_, input, expected) => {
    expect(gib(weightBytes(input))).toBe(expected);
  });

  it('are not known without parameters', () => {
    expect(weightBytes({ parameters: undefined, format: 'bfloat16' })).toEqual({
      kind: 'unknown',
      missing: ['parameters'],
    });
  });
});
