import { describe, expect, it } from 'vitest';
import type { Reckoned } from '../../src/model/budget.ts';
import { GIB } from '../../src/model/quantity.ts';
import { anAccount } from './accounts.ts';

const known = (value: number): Reckoned => ({ kind: 'known', value });
const gib = (reckoned: Reckoned | undefined) =>
  reckoned?.kind === 'known' ? Number((reckoned.value / GIB).toFixed(2)) : reckoned?.missing;

describe('the memory of one GPU', () => {
  const rowsOf = (part: Parameters<typeof anAccount>[0] = {}) =>
    Object.fromEntries(anAccount(part).rows.map(({ name, bytes }) => [name, gib(bytes)]));

  it('is the engine’s own figures', () => {
    expect(rowsOf()).toEqual({
      'memory of the GPU': 39.5,
      'engine share': 35.55,
      weights: 14.99,
      'peak activations': 0.6,
      'context, communication, libraries': 0.04,
      'KV cache': 19.92,
      'CUDA graphs': 0.5,
      'reserve outside': 3.45,
    });
  });

  it('counts graphs inside the fraction where the version does', () => {
    expect(rowsOf({ version: '0.29.0' })).toMatchObject({ 'engine share': 36.34, 'reserve outside': 3.16 });
  });

  it('says which line would hold what is missing, and never counts it as zero', () => {
    const rows = rowsOf({ figures: { graphBytes: undefined, activationBytes: undefined, totalBytes: undefined } });

    expect(rows['CUDA graphs']).toEqual(['the line "Graph capturing finished in … secs, took … GiB"']);
    expect(rows['peak activations']).toEqual([expect.stringContaining('peak activation')]);
    expect(rows['engine share']).toEqual([expect.stringContaining('nvidia-smi')]);
    expect(rows['reserve outside']).not.toBe(0);
  });

  it('gives the rest by difference where the engine does not part it', () => {
    expect(rowsOf({ figures: { activationBytes: undefined } })['other, inside the engine share']).toBe(0.64);
  });
});

describe('the KV cache', () => {
  it('is the engine’s own tokens, in blocks', () => {
    const { kv, now } = anAccount();

    expect(kv).toMatchObject({ basis: 'printed', blockTokens: 16, blocks: known(10_198), tokens: known(163_168) });
    expect(now).toMatchObject({ atOnce: known(3), start: { kind: 'starts', proven: true } });
  });

  it('is what the printed parts leave of the fraction where the engine did not come to print it', () => {
    const { kv } = anAccount({ figures: { kvAvailableBytes: undefined, kvTokens: undefined } });

    // 39.5 x 0.9 less 14.99, 0.6 and 0.04.
    expect(kv.basis).toBe('printed');
    expect(gib(kv.bytes)).toBe(19.92);
  });

  it('is estimated from weights and card where the engine printed nothing', () => {
    const none = { kvAvailableBytes: undefined, kvTokens: undefined, activationBytes: undefined };
    const { kv, now } = anAccount({ figures: { ...none, nonTorchBytes: undefined } });

    // 39.5 x 0.9 less 14.99, the sampler's 9.7 x 256 x 128,256 x 4 bytes, and 0.15; printed figures count before the rule.
    expect(kv.basis).toBe('estimated');
    expect(gib(kv.bytes)).toBe(19.22);
    expect(gib(anAccount({ figures: none }).kv.bytes)).toBe(19.33);
    expect(
      gib(anAccount({ figures: { ...none, nonTorchBytes: undefined, activationBytes: 0.6 * GIB } }).kv.bytes),
    ).toBe(19.81);
    expect([kv.interval?.low, kv.interval?.high].map((bytes) => gib(known(bytes ?? 0)))).toEqual([18.82, 20.82]);
    // 5 GiB for one sequence.
    expect(now.start).toEqual({ kind: 'starts', proven: true });
  });

  it('is not known without weights of any kind', () => {
    const figures = { kvAvailableBytes: undefined, kvTokens: undefined, weightsBytes: undefined, model: 'acme/own' };
    const { kv, lengths } = anAccount({ figures });

    expect(kv).toMatchObject({ basis: 'unknown', bytes: { kind: 'unknown' }, tokens: { kind: 'unknown' } });
    expect(lengths).toEqual([]);
  });
});

describe('the requests of the moment', () => {
  it('take blocks on average, and leave room for more of the same', () => {
    const { load } = anAccount({ usedShare: 0.25, running: 5, told: { '--max-num-seqs': '12' } });

    expect(load.usedBlocks).toEqual(known(2549.5));
    expect(load.blocksPerRequest).toEqual(known(509.9));
    expect(load.moreRequests).toEqual(known(15));
    expect(load.batchAllows).toEqual(known(7));
    // Five blocks of 16 tokens.
    expect(gib(load.wasteBytes)).toBe(0.01);
  });

  it.each([
    ['a full pool', { usedShare: 1, running: 4 }, known(0)],
    ['nothing runs', { usedShare: 0.5, running: 0 }, { kind: 'unknown' }],
    ['no metrics', { usedShare: undefined, running: undefined }, { kind: 'unknown' }],
  ])('%s', (_, use, expected) => {
    expect(anAccount(use).load.moreRequests).toMatchObject(expected);
  });
});

it('sequences by length double from 2048 to the length in force', () => {
  const { lengths } = anAccount();

  expect(lengths.map(({ lengthTokens, sequences }) => [lengthTokens, sequences])).toEqual([
    [2048, 79],
    [4096, 39],
    [8192, 19],
    [16_384, 9],
    [32_768, 4],
    [40_960, 3],
  ]);
});

describe('a change that somebody thinks of', () => {
  const changed = (part: Parameters<typeof anAccount>[0]) => anAccount(part).proposal?.after;

  it('a shorter length: more sequences, the same pool', () => {
    expect(changed({ wanted: ['--max-model-len=8192'] })).toMatchObject({ lengthTokens: 8192, atOnce: known(19) });
  });

  it('the same pool: the printed tokens, as the sum of rounded sizes is a little off', () => {
    const shorter = anAccount({ wanted: ['--max-model-len=8192'] }).proposal;

    expect(shorter?.before.tokens).toEqual(known(163_168));
    expect(shorter?.after.tokens).toEqual(known(163_168));
    expect(changed({ version: '0.21.0', wanted: ['--max-model-len=8192'] })?.tokens).toEqual(known(163_168));
  });

  it('a higher fraction: more pool', () => {
    expect(gib(changed({ wanted: ['--gpu-memory-utilization=0.94'] })?.pool)).toBe(21.5);
  });

  it('a length that does not fit: the engine refuses', () => {
    expect(changed({ wanted: ['--max-model-len=200000'] })?.start).toMatchObject({
      kind: 'refuses',
      why: expect.stringMatching(/one sequence of 200,000 tokens takes 24\.\d+ GiB/),
    });
  });

  it('fp8: half the bytes', () => {
    const fp8 = changed({ wanted: ['--kv-cache-dtype=fp8'] });

    expect(Math.round(fp8?.bytesPerToken.kind === 'known' ? fp8.bytesPerToken.value : 0)).toBe(65_536);
    expect(fp8?.atOnce).toEqual(known(7));
  });

  it('two ranks: half the weights and half the bytes of a token', () => {
    const two = changed({ wanted: ['-tp=2'] });

    expect(gib(two?.pool)).toBe(27.42);
    expect(two?.bytesPerToken.kind === 'known' && Math.round(two.bytesPerToken.value)).toBe(65_536);
  });

  it('smaller passes: as much as the peak of the profile run falls', () => {
    // 1.43 GiB of 8192 tokens were more than the 1.19 GiB of the sampler, which is now the peak: 0.6 x (1 - 1.19 / 1.43).
    expect(
      gib(changed({ told: { '--max-num-batched-tokens': '8192' }, wanted: ['--max-num-batched-tokens=2048'] })?.pool),
    ).toBe(20.02);
  });

  it('smaller passes of a peak that is not known: the pool gets no smaller, and larger ones may take twice the estimate', () => {
    const told = { '--max-num-batched-tokens': '8192' };
    const figures = { activationBytes: undefined };
    const less = changed({ told, figures, wanted: ['--max-num-batched-tokens=2048'] });
    const more = changed({ told, figures, wanted: ['--max-num-batched-tokens=16384'] });

    expect(gib(known(less?.interval?.low ?? 0))).toBe(19.92);
    expect(less?.start).toEqual({ kind: 'starts', proven: true });
    // 1.43 GiB more, or 2.87.
    expect(gib(more?.pool)).toBe(18.48);
    expect(gib(known(more?.interval?.low ?? 0))).toBe(17.05);
    const wanted = ['--max-num-batched-tokens=16384', '--gpu-memory-utilization=0.59'];
    expect(changed({ told, figures, wanted })?.start).toMatchObject({ kind: 'starts', proven: false });
  });

  it('without chunks a pass shorter than a prompt: the engine refuses, however it ran before', () => {
    const figures = { maxModelLen: 40_960 };
    const wanted = ['--max-num-batched-tokens=2048', '--enable-chunked-prefill=false'];

    expect(changed({ version: '0.9.2', figures, wanted })?.start).toMatchObject({
      kind: 'refuses',
      why: 'without chunked prefill a step of 2,048 tokens is shorter than a prompt of 40,960 tokens',
    });
  });

  it('holds no requests of several engines against the pool of one', () => {
    const { load } = anAccount({ told: { '--data-parallel-size': '2' } });

    expect(load.usedBlocks).toMatchObject({ kind: 'known' });
    expect(load.blocksPerRequest).toEqual({
      kind: 'unknown',
      missing: ['the running requests of one of the 2 engines'],
    });
    expect(load.moreRequests).toMatchObject({ kind: 'unknown' });
    expect(anAccount({ told: { '--data-parallel-size': '1' } }).load.blocksPerRequest).toMatchObject({ kind: 'known' });
  });

  it.each([
    ['--max-modl-len=8192', false],
    ['--max-model-len=8192', true],
    ['VLLM_SOMETHING=1', true],
  ])('cannot tell the start with an argument of which no table tells: %s', (wanted, proven) => {
    expect(changed({ wanted: [wanted] })?.start).toEqual({ kind: 'starts', proven });
  });

  it('eager: graphs come back where they are inside', () => {
    expect(gib(changed({ version: '0.29.0', wanted: ['--enforce-eager'] })?.pool)).toBe(20.42);
    expect(gib(changed({ version: '0.11.0', wanted: ['--enforce-eager'] })?.pool)).toBe(19.92);
    expect(changed({ version: '0.25.0', wanted: ['--enforce-eager'] })?.pool).toMatchObject({ kind: 'unknown' });
  });

  it.each([
    ['0.18.0', '--swap-space=8', /no --swap-space: it is there in versions up to 0\.17/],
    ['0.13.0', '--cuda-graph-sizes=1', /Use --cudagraph-capture-sizes/],
    [undefined, '--swap-space=8', /version of vllm is not known/],
    ['0.11.0', '--no-such-flag=1', /whether vllm has --no-such-flag is not known/],
    ['0.11.0', '--enable-prefix-caching', /not part of this sum/],
  ])('%s %s is noted', (version, flag, note) => {
    const [found] = anAccount({ version, wanted: [flag] }).proposal?.flags ?? [];

    expect(found?.note).toMatch(note);
  });
});

it.each([
  ['none has', 'vllm', '0.11.0', '--max-num-on-the-fly-batches=4'],
  ['this version has no more', 'vllm', '0.18.0', '--swap-space=4'],
])('an argument that the engine does not have ends its start: %s', (_what, engine, version, wanted) => {
  const { proposal } = anAccount({ engine, version, wanted: [wanted] });

  expect(proposal?.before.start.kind).toBe('starts');
  expect(proposal?.after.start).toMatchObject({ kind: 'refuses', why: expect.stringContaining('unknown argument') });
});

it.each([
  ['vllm', '--max-model-len', 'refuses'],
  ['tgi', '--max-total-tokens', 'refuses'],
  ['sglang', '--context-length', 'starts'],
])('an engine that starts with a pool in which its longest sequence has no room: %s', (engine, flag, expected) => {
  const { now } = anAccount({ engine, version: undefined, told: { [flag]: '1000000' } });

  expect(now.start.kind).toBe(expected);
});

describe('a profile', () => {
  const edits = (part: Parameters<typeof anAccount>[0]) =>
    Object.fromEntries(anAccount(part).profiles.map(({ name, edits: all }) => [name, all.map(({ flag }) => flag)]));

  it('moves the fraction only the way of the signature', () => {
    const fraction = '--gpu-memory-utilization';

    expect(edits({ direction: 'lower' }).emergency).toContain(fraction);
    expect(edits({ direction: 'none' }).emergency).not.toContain(fraction);
  });

  it('is tried with what is typed above it', () => {
    const { proposal } = anAccount({ profile: 'emergency', wanted: ['--max-num-seqs=4'] });

    expect(proposal?.after.sequences).toBe(4);
  });

  it('of SGLang goes down by its step though nothing tells of the pool', () => {
    const figures = { kvAvailableBytes: undefined, kvTokens: undefined, weightsBytes: undefined, model: undefined };
    const told = { '--mem-fraction-static': '0.9' };
    const { profiles } = anAccount({ engine: 'sglang', version: undefined, figures, told, direction: 'lower' });

    expect(profiles[0]?.edits).toMatchObject([{ flag: '--mem-fraction-static', to: '0.85' }]);
  });
});
