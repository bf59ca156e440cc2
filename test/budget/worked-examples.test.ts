import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reckonBudget } from '../../src/app/budget/budget.ts';
import type { SnapshotSource } from '../../src/app/ports.ts';
import { changeSource } from '../../src/app/triage/changed-snapshot.ts';
import { readEngineEvidence } from '../../src/app/triage/diagnose.ts';
import type { Figures } from '../../src/budget/figures.ts';
import { weightsOf } from '../../src/budget/figures.ts';
import type { Reckoned } from '../../src/budget/known-amount.ts';
import { amountOf } from '../../src/budget/known-amount.ts';
import { readFolder } from '../../src/folder/read-folder.ts';
import type { Budget } from '../../src/model/budget.ts';
import { GIB } from '../../src/model/quantity.ts';
import { budgetMessage } from '../../src/report/budget.ts';
import { COMPILED_SIGNATURES } from '../playbooks/shipped.ts';
import { anAccount } from './accounts.ts';
import { BOOK } from './fits.ts';

const evidence = (source: SnapshotSource) => readEngineEvidence(source, COMPILED_SIGNATURES, BOOK);
const FOLDERS = join(import.meta.dirname, '../fixtures/worked-examples');

type Change = Parameters<typeof changeSource>[1];

/** The budget of a folder as `oom budget` reads it, with its files changed. */
async function budgetOf(name: string, change: Change = []): Promise<Budget> {
  const source = await changeSource(await readFolder(join(FOLDERS, name)), change);
  const outcome = await reckonBudget(source, { book: BOOK, evidence });
  if (outcome.kind !== 'budget') throw new Error(outcome.kind);
  return outcome.budget;
}

// Numbers as engines printed them in public reports; what is compared is compared as printed.
const gib = (value: Reckoned | undefined) => ((value === undefined ? undefined : amountOf(value)) ?? Number.NaN) / GIB;
const printed = (value: Reckoned | undefined, digits = 2) => gib(value).toFixed(digits);
const rowOf = ({ rows }: Budget, name: string) => rows.find((row) => row.name === name)?.bytes;
const exactly = (value: number) => ({ kind: 'known', value });
const about = (value: number) => ({ kind: 'known', value, about: true });

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
const said = (budget: Budget) => JSON.stringify(budgetMessage(budget));

describe('worked examples', () => {
  it('1: vLLM V0, two V100 16 GB, Llama-8B', async () => {
    const budget = await budgetOf('1-v0-llama-8b');

    expect(printed(rowOf(budget, 'memory of the GPU'))).toBe('15.77');
    expect(printed(rowOf(budget, 'engine share'))).toBe('14.19');
    expect(printed(budget.kv.bytes)).toBe('3.76');
    expect(budget.kv.bytesPerToken).toEqual(exactly(65_536));
    expect(budget.kv.tokens).toEqual(exactly(61_632));
    expect(budget.kv.blocks).toEqual(exactly(3852));
    expect(headline(budget)).toContain('1.54 sequences of 40,000');
    expect(budget.now.atOnce).toEqual(exactly(1));
    expect(budget.kv.swap).toEqual({ bytes: 4 * GIB, blocks: exactly(4096) });
    expect(printed(rowOf(budget, 'reserve outside'))).toBe('1.58');
    expect(said(budget)).toContain('65,536 bytes per token');
    expect(said(budget)).toContain('4 GiB of pinned RAM per GPU, 4,096 blocks');
  });

  it('1: before the engine came to print its blocks', async () => {
    const budget = await budgetOf('1-v0-llama-8b', [{ file: 'previous.log', drop: '# GPU blocks' }]);

    expect(budget.kv.bytesPerToken).toEqual(exactly(65_536));
    // 3.76 GiB are 61,604 tokens. The engine had 61,632, which print as 3.76 as well: without its own line nobody can tell.
    expect(budget.kv.tokens).toEqual(exactly(3850 * 16));
    expect(budget.kv.swap?.blocks).toEqual(exactly(4096));
  });

  it('1: of a model of unknown shape it is about the quotient', async () => {
    const model = { file: 'args.txt', replace: 'meta-llama/Llama-3.1-8B-Instruct', with: 'acme/own' };
    const budget = await budgetOf('1-v0-llama-8b', [model]);

    expect(Math.round(amountOf(budget.kv.bytesPerToken) ?? 0)).toBe(65_506);
    expect(budget.kv.bytesPerToken).toMatchObject({ about: true });
    expect(said(budget)).toContain('about 65,506 bytes per token');
    // What the engine printed stays what it printed.
    expect(budget.kv.swap?.blocks).toEqual(exactly(4096));
  });

  it('2: vLLM V1, Qwen3-Coder-30B-A3B', async () => {
    const [byMessage, byShape] = [
      await budgetOf('2-v1-qwen3-coder-30b'),
      await budgetOf('2-v1-qwen3-coder-30b', [
        { file: 'previous.log', drop: 'ValueError' },
        { file: 'args.txt', replace: 'Instruct', with: 'Instruct --max-model-len 262144' },
      ]),
    ];

    for (const budget of [byShape, byMessage]) {
      expect(budget.kv.bytesPerToken).toEqual(exactly(98_304));
      expect(Math.round(quotient(budget))).toBe(34_734);
      expect(budget.now.start).toMatchObject({ kind: 'refuses', why: expect.stringContaining('24.00 GiB') });
    }
    expect(byMessage.kv).toMatchObject({ tokens: exactly(34_736), blocks: exactly(2171) });
    // 34,734 are 2170 whole blocks. The engine had 2171, which print as 3.18 as well: without its own line nobody can tell.
    expect(amountOf(byShape.kv.tokens)).toBe(2170 * 16);
    expect([2170, 2171].map((blocks) => asPrinted(blocks * 16, 98_304))).toEqual(['3.18', '3.18']);
  });

  it('3: vLLM V1, Llama-3.1-8B on an A100 40 GB', async () => {
    const budget = await budgetOf('3-v1-llama-8b');
    const byShape = await budgetOf('3-v1-llama-8b', [{ file: 'current.log', drop: 'GPU KV cache size' }]);

    expect(budget.kv.bytesPerToken).toEqual(exactly(131_072));
    expect(budget.kv).toMatchObject({ tokens: exactly(163_168), blocks: exactly(10_198) });
    expect(headline(budget)).toContain('3.98 sequences of 40,960');
    expect(budget.now.atOnce).toEqual(exactly(3));
    expect(byShape.kv.bytesPerToken).toEqual(exactly(131_072));
    expect(Math.floor(quotient(byShape))).toBe(163_184);
    // 163,184 are 10,199 whole blocks. The engine had 10,198, which print as 19.92 as well: its own line decides.
    expect(amountOf(byShape.kv.blocks)).toBe(10_199);
    expect([10_198, 10_199].map((blocks) => asPrinted(blocks * 16, 131_072))).toEqual(['19.92', '19.92']);
  });

  it('4: KAITO on two H100 NVL', async () => {
    const byMessage = await budgetOf('4-kaito-two-h100');
    const byQuotient = await budgetOf('4-kaito-two-h100', [
      {
        file: 'previous.log',
        replace: ' Based on the available memory, the estimated maximum model length is 810208.',
        with: '',
      },
    ]);

    // 22.5 GiB are printed rounded, and nothing tells the shape of the model.
    for (const budget of [byMessage, byQuotient]) expect(budget.kv.bytesPerToken).toEqual(about(23_040));
    expect(Math.round(quotient(byQuotient))).toBe(810_433);
    expect(amountOf(byMessage.kv.tokens)).toBe(810_208);
    // In whole blocks 810,432; 810,208 tokens print as 17.39 as well, so the quotient cannot be nearer.
    expect(amountOf(byQuotient.kv.tokens)).toBe(50_652 * 16);
    expect([810_208, 50_652 * 16].map((tokens) => asPrinted(tokens, 23_040))).toEqual(['17.39', '17.39']);
  });

  it('6: 70B at 8 bit and 0.98', async () => {
    const budget = await budgetOf('6-70b-w8a8');

    expect(budget.kv.bytesPerToken).toEqual(exactly(327_680));
    expect(amountOf(budget.kv.blocks)).toBe(1381);
    expect(printed(budget.kv.bytes)).toBe('6.74');
    expect((gib(rowOf(budget, 'weights')) + gib(budget.kv.bytes)).toFixed(1)).toBe('74.5');
    expect(printed(rowOf(budget, 'engine share'), 1)).toBe('77.5');
    expect(headline(budget)).toContain('10.79 sequences of 2,048');
    expect(budget.lengths.at(-1)).toMatchObject({ lengthTokens: 2048, sequences: 10 });
  });
});

describe('the bytes of a token', () => {
  // 3.76 GiB with half a digit either way over 61,632 tokens, and a block more.
  const of = (part: Parameters<typeof anAccount>[0]) => anAccount(part).kv.bytesPerToken;

  it.each([
    ['on the upper line', 65_536 * 61_632 - 0.005 * GIB, exactly(65_536)],
    ['just above it', 65_536 * 61_632 - 0.005 * GIB - 1e5, about(65_447)],
    ['on the lower line', 65_536 * (61_632 + 16) + 0.005 * GIB, exactly(65_536)],
    ['just below it', 65_536 * (61_632 + 16) + 0.005 * GIB + 1e5, about(65_642)],
  ])('are the shape of the model as far as rounding hides the difference: %s', (_where, bytes, expected) => {
    const figures = { kvAvailableBytes: bytes, kvTokens: 61_632 };
    const found = of({ told: { '--tensor-parallel-size': '2' }, figures });

    expect({ ...found, value: Math.round(found.kind === 'known' ? found.value : 0) }).toEqual(expected);
  });

  it('are what the engine itself says, where it does', () => {
    const figures = { kvAvailableBytes: 3.76 * GIB, kvTokens: 61_632, model: 'acme/own' };

    expect(of({ figures: { ...figures, kvTokenBytes: 65_536 } })).toEqual(exactly(65_536));
    expect(of({ figures: { ...figures, kvTokenBytes: 70_000 } })).toMatchObject({ about: true });
  });
});

// Weights of 15 GiB, 5% and 0.6 GiB beside them, and activations of 3 GiB where the fraction holds them.
it.each([
  ['sglang', { '--mem-fraction-static': '0.88' }, 80 * 0.88 - 15 - 1.35],
  ['tgi', { '--cuda-memory-fraction': '1.0' }, 80 * 0.9 - 15 - 4.35],
  ['lmdeploy', { '--cache-max-entry-count': '0.8' }, (80 - 15 - 4.35) * 0.8],
  ['tensorrt-llm', { '--kv_cache_free_gpu_memory_fraction': '0.9' }, (80 - 15 - 4.35) * 0.9],
  ['llama.cpp', { '--n-gpu-layers': '99' }, 80 - 15 - 1],
])('the pool of an engine that printed nothing: %s with %o', (engine, told, expected) => {
  const figures = { ...NOTHING, totalBytes: 80 * GIB, weightsBytes: 15 * GIB };

  const { kv } = anAccount({ engine, version: undefined, told, figures });

  expect(kv.basis).toBe('estimated');
  expect(gib(kv.bytes)).toBeCloseTo(expected, 6);
});

it.each([
  ['8.03 B at 16 bit', 'meta-llama/Llama-3.1-8B-Instruct', 1, '14.96'],
  ['72.7 B at 16 bit on four', 'Qwen/Qwen2.5-72B-Instruct', 4, '33.85'],
  ['70.6 B at 4 bit', 'casperhansen/llama-3.3-70b-instruct-awq', 1, '37.73'],
  ['parameters that nobody knows', 'team/own-model', 1, 'NaN'],
])('weights of one GPU: %s', (_, model, ranks, expected) => {
  const settings = (flag: string) =>
    flag === '--tensor-parallel-size' ? { text: String(ranks), number: ranks } : undefined;

  expect(printed(weightsOf({ engine: 'vllm', figures: { model }, settings }))).toBe(expected);
});
