import { describe, expect, it } from 'vitest';
import type { Figures } from '../../src/budget/figures.ts';
import { deviceClassOf, errorOf } from '../../src/budget/startup-error.ts';
import type { MeasuredStart } from '../../src/model/measured-start.ts';
import { GIB } from '../../src/model/quantity.ts';
import { anAccount } from './accounts.ts';

const UNPRINTED: Figures = {
  kvAvailableBytes: undefined,
  kvTokens: undefined,
  activationBytes: undefined,
  nonTorchBytes: undefined,
};
const A100 = 'NVIDIA-A100-SXM4-40GB';
const of = (figures: Figures = {}, version = '0.11.0', engine = 'vllm') =>
  errorOf({ engine, version, product: A100, figures: { weightsBytes: GIB, model: 'acme/own', ...figures } });
const aStart = (errorGib: number, more: Partial<MeasuredStart> = {}): MeasuredStart => ({
  id: 'uid',
  cluster: 'prod',
  engine: 'vllm',
  version: '0.11.2',
  product: A100,
  model: 'acme/own',
  errorBytes: errorGib * GIB,
  at: 0,
  ...more,
});
const width = (interval: ReturnType<typeof errorOf>) => ((interval?.high ?? 0) - (interval?.low ?? 0)) / GIB;

describe('how far an estimate of the pool may be off', () => {
  it('depends on release, device and whether the weights are printed', () => {
    const classes = [of(), of({}, '0.32.0'), of({ weightsBytes: undefined }), of({ totalBytes: 121.69 * GIB })];

    expect(new Set(classes.map((one) => `${one?.low} ${one?.high}`)).size).toBe(4);
    for (const one of classes) expect(one?.records).toBeGreaterThan(0);
  });

  it('is unknown for an engine of which there are no startup logs', () => {
    expect(of({}, '3.3.6', 'tgi')).toBeUndefined();
  });

  it.each([
    ['NVIDIA-H100-80GB-HBM3', 79, 'discrete'],
    ['NVIDIA-GB10', 119.7, 'unified'],
    [undefined, 121.69, 'unified'],
    ['AMD Instinct MI300X', 191, 'amd'],
    ['Intel Arc Pro B70', 30.3, 'intel'],
    [undefined, undefined, 'discrete'],
  ])('%s with %s GiB is %s', (product, gib, expected) => {
    expect(deviceClassOf(product, gib === undefined ? undefined : gib * GIB)).toBe(expected);
  });

  it('narrows around what earlier starts of the cluster were off by', () => {
    const general = of();
    const [one, four] = [1, 4].map((count) => of({ ownStarts: Array.from({ length: count }, () => aStart(2)) }));

    expect(width(one)).toBeLessThan(width(general));
    expect(width(four)).toBeLessThan(width(one));
    // The estimate was 2 GiB too much: four starts weigh four times the class.
    expect((four?.middle ?? 0) / GIB).toBeLessThan((one?.middle ?? 0) / GIB);
    expect((four?.middle ?? 0) / GIB).toBeCloseTo((-2 * 4 + width(general) / 2 + (general?.low ?? 0) / GIB) / 5, 6);
  });

  it.each([
    ['another GPU', { product: 'NVIDIA-L4' }],
    ['another model and release', { model: 'acme/other', version: '0.9.0' }],
  ])('learns nothing from %s', (_, more) => {
    expect(of({ ownStarts: [aStart(2, more)] })).toEqual(of());
  });
});

describe('a start by an estimate', () => {
  // The estimate of 0.11 on 39.5 GiB with 14.99 GiB of weights is 19.22 GiB, 18.82 to 20.82; a token takes 131,072 bytes.
  const startWith = (tokens: number) => {
    const { now, safe } = anAccount({ figures: UNPRINTED, told: { '--max-model-len': String(tokens) } });
    return { start: now.start, safe };
  };

  it.each([
    ['below its low end starts', 154_000, { kind: 'starts', proven: true }],
    [
      'within it may not start',
      160_000,
      { kind: 'starts', proven: false, doubt: expect.stringContaining('18.82 to 20.82') },
    ],
    [
      'above its high end does not start',
      171_000,
      { kind: 'refuses', why: expect.stringContaining('may have 18.82 to') },
    ],
  ])('with a sequence %s', (_, tokens, expected) => {
    expect(startWith(tokens).start).toEqual(expected);
  });

  it('names the length and the fraction that fit the low end, and what the engine finds itself', () => {
    const { safe } = startWith(160_000);

    expect(safe).toEqual({
      automatic: ['--kv-cache-memory-bytes'],
      length: 154_192,
      sequences: undefined,
      fraction: 0.92,
    });
    expect(startWith(40_960).safe).toMatchObject({ length: undefined, sequences: 3, fraction: undefined });
  });

  it('is settled by what the engine then prints', () => {
    expect(anAccount({ told: { '--max-model-len': '160000' } }).now.start).toEqual({ kind: 'starts', proven: true });
  });
});

describe('what a refusal says', () => {
  const figures: Figures = {
    kvAvailableBytes: 3.12 * GIB,
    kvNeededBytes: 3.79 * GIB,
    maxModelLen: 131_072,
    estimatedMaxLen: 7740,
    kvTokens: undefined,
    model: 'acme/own',
  };

  it('of two lengths parts what is fixed from what grows', () => {
    const { kv, proposal } = anAccount({
      version: '0.31.0',
      figures,
      told: { '--max-model-len': '131072' },
      wanted: ['--max-model-len=65536'],
    });

    // 0.67 GiB for 123,332 tokens; the rest of 3.79 GiB whatever the length.
    expect(kv.bytesPerToken).toMatchObject({ about: true });
    expect(Math.round(kv.bytesPerToken.kind === 'known' ? kv.bytesPerToken.value : 0)).toBe(5833);
    expect((kv.fixedBytes / GIB).toFixed(2)).toBe('3.08');
    expect(proposal?.after.start).toMatchObject({ kind: 'refuses', why: expect.stringContaining('takes 3.43 GiB') });
  });

  it('is above the layers of the model, which are named as contradicting', () => {
    const { kv, problems } = anAccount({ figures: { ...figures, model: 'meta-llama/Llama-3.1-8B' } });

    expect(kv.bytesPerToken).not.toMatchObject({ value: 131_072 });
    expect(problems).toEqual([expect.stringContaining('131072 by the layers of the model: the log counts')]);
  });
});

it('tokens that are concurrency times length are not divided by: what a token takes stays unknown', () => {
  const figures = { model: 'acme/own', kvAvailableBytes: 4.87 * GIB, kvTokens: 651_081 };
  const told = { '--max-model-len': '262144' };
  const at = (version: string) => anAccount({ version, figures, told, wanted: ['--max-model-len=131072'] });

  expect(at('0.31.0').kv.bytesPerToken).toMatchObject({ kind: 'unknown' });
  expect(at('0.31.0').proposal?.after.start).toEqual({ kind: 'starts', proven: true });
  expect(at('0.11.0').kv.bytesPerToken).toMatchObject({ kind: 'known', about: true });
});

describe('weights in RAM', () => {
  it('free no more than there are', () => {
    const { proposal } = anAccount({ wanted: ['--cpu-offload-gb=40'] });
    const pool = proposal?.after.pool;

    expect(pool?.kind === 'known' && (pool.value / GIB).toFixed(2)).toBe((19.92 + 14.99).toFixed(2));
  });

  it('are held against the memory limit for every rank', () => {
    const told = { '--cpu-offload-gb': '20', '--tensor-parallel-size': '2' };

    expect(anAccount({ told, figures: { ramLimitBytes: 32 * GIB } }).problems).toContainEqual(
      '--cpu-offload-gb pins 40.00 GiB of RAM (2 ranks), the memory limit is 32.00 GiB',
    );
    expect(anAccount({ told, figures: { ramLimitBytes: 64 * GIB } }).problems.join()).not.toContain('pins');
  });
});

it.each([
  ['attention heads', { attentionHeads: 12 }, '--tensor-parallel-size 8 does not divide the 12 attention heads'],
  [
    'KV heads',
    { shape: [{ kind: 'full', layers: 32, kvHeads: 6, headDim: 128 }] },
    '--tensor-parallel-size 8 does not divide the 6 KV heads',
  ],
] as const)('tensor parallelism that does not divide the heads is refused: %s', (_, figures, why) => {
  const { now } = anAccount({ figures: { ...UNPRINTED, ...figures }, told: { '--tensor-parallel-size': '8' } });

  expect(now.start).toMatchObject({ kind: 'refuses', why: expect.stringContaining(why) });
});
