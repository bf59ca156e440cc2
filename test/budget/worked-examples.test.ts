import { describe, expect, it } from 'vitest';
import type { Figures } from '../../src/budget/figures.ts';
import { amountOf, type Reckoned } from '../../src/budget/reckoned.ts';
import { weightBytes } from '../../src/budget/weights.ts';
import type { Budget } from '../../src/model/budget.ts';
import { GIB } from '../../src/model/quantity.ts';
import { budgetMessage } from '../../src/report/budget.ts';
import { anAccount } from './an-account.ts';

// Numbers as engines printed them in public reports; what is compared is compared as printed.
const gib = (value: Reckoned | undefined) => ((value === undefined ? undefined : amountOf(value)) ?? Number.NaN) / GIB;
const printed = (value: Reckoned | undefined, digits = 2) => gib(value).toFixed(digits);
const rowOf = ({ rows }: Budget, name: string) => rows.find((row) => row.name === name)?.bytes;

const NOTHING: Figures = {
  totalBytes: undefined,
  weightsBytes: undefined,
  kvAvailableBytes: undefined,
  kvTokens: undefined,
  activationBytes: undefined,
  nonTorchBytes: undefined,
  graphBytes: undefined,
  model: undefined,
};

// What an engine prints of a size says no more than this of it.
const asPrinted = (tokens: number, perToken: number) => ((tokens * perToken) / GIB).toFixed(2);
const quotient = ({ kv }: Budget) => (gib(kv.bytes) * GIB) / (amountOf(kv.bytesPerToken) ?? Number.NaN);
const headline = (budget: Budget) => budgetMessage(budget).summary;

describe('worked examples', () => {
  it('1: vLLM V0, two V100 16 GB, Llama-8B', () => {
    const parts = { weightsBytes: 7.51 * GIB, nonTorchBytes: 0.39 * GIB, activationBytes: 2.53 * GIB };
    const figures = { ...NOTHING, ...parts, totalBytes: 15.77 * GIB, model: 'Llama-3-8B', graphBytes: 0 };
    const part = { version: '0.6.6', told: { '--tensor-parallel-size': '2', '--max-model-len': '40000' } };

    const before = anAccount({ ...part, figures });
    const after = anAccount({ ...part, figures: { ...figures, kvTokens: 3852 * 16, kvBlocks: 3852 } });

    expect(printed(rowOf(before, 'the engine may take'))).toBe('14.19');
    expect(printed(before.kv.bytes)).toBe('3.76');
    expect(amountOf(before.kv.bytesPerToken)).toBe(65_536);
    expect(printed(after.kv.bytes)).toBe('3.76');
    expect(amountOf(after.kv.tokens)).toBe(61_632);
    expect(amountOf(after.kv.blocks)).toBe(3852);
    expect(headline(after)).toContain('1.54 sequences of 40,000');
    expect(after.now.atOnce).toEqual({ kind: 'known', value: 1 });
    expect(after.kv.swap).toEqual({ bytes: 4 * GIB, blocks: { kind: 'known', value: 4096 } });
    expect(printed(rowOf(before, 'reserve outside'))).toBe('1.58');
  });

  it('2: vLLM V1, Qwen3-Coder-30B-A3B', () => {
    const told = { '--max-model-len': '262144' };
    const figures = { ...NOTHING, kvAvailableBytes: 3.18 * GIB, maxModelLen: 262_144 };
    const model = 'Qwen/Qwen3-Coder-30B-A3B-Instruct';

    const byShape = anAccount({ told, figures: { ...figures, model } });
    const byMessage = anAccount({ told, figures: { ...figures, kvNeededBytes: 24 * GIB, estimatedMaxLen: 34_736 } });

    for (const budget of [byShape, byMessage]) {
      expect(amountOf(budget.kv.bytesPerToken)).toBe(98_304);
      expect(Math.round(quotient(budget))).toBe(34_734);
      expect(budget.now.start).toMatchObject({ kind: 'refuses', why: expect.stringContaining('24.00 GiB') });
    }
    expect(byMessage.kv).toMatchObject({ tokens: { value: 34_736 }, blocks: { value: 2171 } });
    // 34,734 are 2170 whole blocks. The engine had 2171, which print as 3.18 as well: without its own line nobody can tell.
    expect(amountOf(byShape.kv.tokens)).toBe(2170 * 16);
    expect([2170, 2171].map((blocks) => asPrinted(blocks * 16, 98_304))).toEqual(['3.18', '3.18']);
  });

  it('3: vLLM V1, Llama-3.1-8B on an A100 40 GB', () => {
    const budget = anAccount();
    const byShape = anAccount({ figures: { kvTokens: undefined } });

    expect(budget.kv).toMatchObject({ tokens: { value: 163_168 }, blocks: { value: 10_198 } });
    expect(headline(budget)).toContain('3.98 sequences of 40,960');
    expect(budget.now.atOnce).toEqual({ kind: 'known', value: 3 });
    expect(amountOf(byShape.kv.bytesPerToken)).toBe(131_072);
    expect(Math.floor(quotient(byShape))).toBe(163_184);
    // 163,184 are 10,199 whole blocks. The engine had 10,198, which print as 19.92 as well: its own line decides.
    expect(amountOf(byShape.kv.blocks)).toBe(10_199);
    expect([10_198, 10_199].map((blocks) => asPrinted(blocks * 16, 131_072))).toEqual(['19.92', '19.92']);
  });

  it('4: KAITO on two H100 NVL', () => {
    const figures = { ...NOTHING, kvNeededBytes: 22.5 * GIB, kvAvailableBytes: 17.39 * GIB, maxModelLen: 1_048_576 };
    const told = { '--max-model-len': '1048576' };

    const byQuotient = anAccount({ told, figures });
    const byMessage = anAccount({ told, figures: { ...figures, estimatedMaxLen: 810_208 } });

    expect(amountOf(byQuotient.kv.bytesPerToken)).toBe(23_040);
    expect(Math.round(quotient(byQuotient))).toBe(810_433);
    expect(amountOf(byMessage.kv.tokens)).toBe(810_208);
    // In whole blocks 810,432; 810,208 tokens print as 17.39 as well, so the quotient can not be nearer.
    expect(amountOf(byQuotient.kv.tokens)).toBe(50_652 * 16);
    expect([810_208, 50_652 * 16].map((tokens) => asPrinted(tokens, 23_040))).toEqual(['17.39', '17.39']);
  });

  it('5: Llama-4 with eight ranks', () => {
    const figures = { ...NOTHING, kvNeededBytes: 24 * GIB, maxModelLen: 1_048_576 };

    const { kv } = anAccount({ told: { '--tensor-parallel-size': '8', '--max-model-len': '1048576' }, figures });

    expect(amountOf(kv.bytesPerToken)).toBe(24_576);
  });

  it('6: 70B at 8 bit and 0.98', () => {
    const model = 'RedHatAI/Llama-3.3-70B-Instruct-quantized.w8a8';
    const figures = { ...NOTHING, totalBytes: 79.1 * GIB, weightsBytes: 67.72 * GIB, kvTokens: 1381 * 16, model };
    const told = { '--gpu-memory-utilization': '0.98', '--max-model-len': '2048' };

    const budget = anAccount({ told, figures });

    expect(amountOf(budget.kv.bytesPerToken)).toBe(327_680);
    expect(amountOf(budget.kv.blocks)).toBe(1381);
    expect(printed(budget.kv.bytes)).toBe('6.74');
    expect((gib(rowOf(budget, 'weights')) + gib(budget.kv.bytes)).toFixed(1)).toBe('74.5');
    expect(printed(rowOf(budget, 'the engine may take'), 1)).toBe('77.5');
    expect(budget.lengths.at(-1)).toMatchObject({ lengthTokens: 2048, sequences: 10 });
  });
});

// Weights of 15 GiB, 5 % and 0.6 GiB beside them, and activations of 3 GiB where the fraction holds them.
describe('the pool of an engine that printed nothing', () => {
  it.each([
    ['sglang', { '--mem-fraction-static': '0.88' }, 80 * 0.88 - 15 - 1.35],
    ['tgi', { '--cuda-memory-fraction': '1.0' }, 80 * 0.9 - 15 - 4.35],
    ['lmdeploy', { '--cache-max-entry-count': '0.8' }, (80 - 15 - 4.35) * 0.8],
    ['tensorrt-llm', { '--kv_cache_free_gpu_memory_fraction': '0.9' }, (80 - 15 - 4.35) * 0.9],
    ['llama.cpp', { '--n-gpu-layers': '99' }, 80 - 15 - 1],
  ])('%s with %o', (engine, told, expected) => {
    const figures = { ...NOTHING, totalBytes: 80 * GIB, weightsBytes: 15 * GIB };

    const { kv } = anAccount({ engine, version: undefined, told, figures });

    expect(kv.basis).toBe('estimated');
    expect(gib(kv.bytes)).toBeCloseTo(expected, 6);
  });
});

describe('weights of one GPU', () => {
  it.each([
    ['8.03 B at 16 bit', { parameters: 8.03e9, format: 'bfloat16' as const }, '14.96'],
    ['72.7 B at 16 bit on four', { parameters: 72.7e9, format: 'bfloat16' as const, tensorParallel: 4 }, '33.85'],
    ['70.6 B at 4 bit', { parameters: 70.6e9, format: 'awq' as const }, '36.82'],
  ])('%s', (_, input, expected) => {
    expect(printed(weightBytes(input))).toBe(expected);
  });

  it('are not known without parameters', () => {
    expect(weightBytes({ parameters: undefined, format: 'bfloat16' })).toEqual({
      kind: 'unknown',
      missing: ['parameters'],
    });
  });
});
