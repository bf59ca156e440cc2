import fc from 'fast-check';
import { expect } from 'vitest';
import { type Fit, type FitInput, fitProfile } from '../../src/budget/fit-profile.ts';
import { PROFILE_NAMES } from '../../src/budget/profiles.ts';
import { judgeStart } from '../../src/budget/start-condition.ts';
import { flagOf } from '../../src/model/flag-table.ts';
import { GIB } from '../../src/model/quantity.ts';
import { tablesInForce } from '../../src/model/reference-tables.ts';
import type { Part, Told } from './fits.ts';
import { aFit } from './fits.ts';

const LENGTH = '--max-model-len';
const UTIL = '--gpu-memory-utilization';

const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const rarely = <T>(of: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: of });

const versions = {
  vllm: ['0.6.4', '0.9.2', '0.11.0', '0.21.1', '0.29.0'],
  sglang: ['0.4.1', '0.5.18'],
  tgi: ['2.4.0', '3.3.7'],
};
const engines = ['vllm', 'sglang', 'tgi', 'lmdeploy', 'tensorrt-llm', 'llama.cpp', 'ollama'] as const;

const anyTold: fc.Arbitrary<Told> = fc.record(
  {
    [UTIL]: fc.integer({ min: 30, max: 99 }).map((percent) => percent / 100),
    '--mem-fraction-static': fc.integer({ min: 30, max: 99 }).map((percent) => percent / 100),
    [LENGTH]: fc.integer({ min: -1, max: 262_144 }),
    '--max-total-tokens': fc.integer({ min: 1, max: 262_144 }),
    '--max-input-tokens': fc.integer({ min: 1, max: 262_144 }),
    '--ctx-size': fc.integer({ min: 0, max: 262_144 }),
    '--max-num-seqs': fc.integer({ min: 1, max: 2048 }),
    '--max-num-batched-tokens': fc.integer({ min: 1, max: 65_536 }),
    '--max-batch-prefill-tokens': fc.integer({ min: 1, max: 65_536 }),
    '--enable-chunked-prefill': fc.constantFrom('true', 'false'),
    '--tensor-parallel-size': fc.constantFrom(1, 2, 4, 8),
    '--kv-cache-dtype': fc.constantFrom('auto', 'fp8', 'strange'),
  },
  { requiredKeys: [] },
);

/** Anything that a snapshot may lead to, the impossible included. */
export const anyPart = fc
  .record({
    engine: fc.constantFrom(...engines),
    version: maybe(fc.integer({ min: 0, max: 9 })),
    profile: fc.constantFrom(...PROFILE_NAMES),
    direction: fc.constantFrom('raise', 'lower', 'none', 'set'),
    product: maybe(fc.constantFrom('NVIDIA-A100-SXM4-80GB', 'NVIDIA-L4')),
    told: anyTold,
    figures: fc.record({
      totalBytes: maybe(fc.double({ min: 4, max: 280, noNaN: true }).map((gib) => gib * GIB)),
      freeAtStartBytes: maybe(fc.double({ min: 0, max: 80, noNaN: true }).map((gib) => gib * GIB)),
      weightsBytes: maybe(fc.double({ min: 0, max: 140, noNaN: true }).map((gib) => gib * GIB)),
      kvAvailableBytes: maybe(fc.double({ min: -10, max: 140, noNaN: true }).map((gib) => gib * GIB)),
      kvNeededBytes: maybe(fc.double({ min: 0, max: 60, noNaN: true }).map((gib) => gib * GIB)),
      kvTokens: maybe(fc.integer({ min: 0, max: 4_000_000 })),
      loadFreeBytes: maybe(fc.double({ min: 1, max: 280, noNaN: true }).map((gib) => gib * GIB)),
      loadLeftBytes: maybe(fc.double({ min: 0, max: 280, noNaN: true }).map((gib) => gib * GIB)),
      leastFraction: rarely(fc.double({ min: 0.1, max: 1, noNaN: true })),
      graphBytes: maybe(fc.double({ min: 0, max: 3, noNaN: true }).map((gib) => gib * GIB)),
      maxModelLen: maybe(fc.integer({ min: 0, max: 262_144 })),
      estimatedMaxLen: maybe(fc.integer({ min: 0, max: 262_144 })),
      model: maybe(fc.constantFrom(...tablesInForce().families.map(({ family }) => family))),
    }),
  })
  .map(({ version, ...part }) => {
    const known = versions[part.engine as keyof typeof versions] ?? ['0.9.0'];
    return { ...part, version: version === undefined ? undefined : known[version % known.length] };
  });

/** What every fit has to be, whatever it was made from. */
export function checkFit(part: Part): void {
  const input = aFit(part);
  const fit = fitProfile(input);
  expect(JSON.stringify(fit)).not.toMatch(/NaN|Infinity|undefined/);
  if (fit.kind !== 'fitted') return;
  expect(judgeStart(fit.start)).toMatchObject({ kind: 'starts' });
  const inForce = { ...part.told, ...Object.fromEntries(fit.edits.map(({ flag, to }) => [flag, Number(to)])) };
  const { lengthTokens, sequences, batchedTokens } = fit.start;
  for (const { flag, from, to, why } of fit.edits) {
    if (flag === LENGTH) expect(lengthTokens).toBe(Number(to));
    if (flag === '--max-num-seqs') expect(sequences).toBe(Number(to));
    if (flag === '--max-num-batched-tokens') {
      expect(batchedTokens).toBe(Number(to));
      if (typeof inForce['--max-num-seqs'] === 'number')
        expect(Number(to)).toBeGreaterThanOrEqual(inForce['--max-num-seqs']);
    }
    expect(flagOf(input.engine, input.version, flag).kind).toBe('exists');
    expect(why).not.toBe('');
    const [before, after] = [Number(from), Number(to)];
    expect(after).toBeGreaterThan(0);
    if (from === null || !(before > 0)) continue;
    const isFraction = /util|fraction|entry-count/.test(flag);
    if (isFraction && input.direction === 'raise') expect(after).toBeGreaterThan(before);
    else expect(after).toBeLessThan(before);
  }
  for (const { flag, to } of fit.edits) if (input.direction === 'raise') checkRoomOutside(input, flag, Number(to));
  const touched = fit.edits.some(({ flag }) => /util|fraction|entry-count/.test(flag));
  if (touched) expect(['raise', 'lower', 'set']).toContain(input.direction);
}

// Usable is a higher fraction of a card only up to 0.95, and where 1 GiB of it stays outside.
function checkRoomOutside({ engine, figures }: FitInput, flag: string, to: number): void {
  const whole = engine === 'sglang' ? (figures.loadFreeBytes ?? figures.totalBytes) : figures.totalBytes;
  if (flag !== UTIL && flag !== '--mem-fraction-static') return;
  expect(to).toBeLessThanOrEqual(0.95);
  if (figures.leastFraction !== undefined && whole === undefined) return;
  expect((1 - to) * (whole ?? Number.NaN)).toBeGreaterThanOrEqual(GIB - 1);
}

/** The length that a fit is shown to hold; 0 where it is refused, undefined where nothing is shown. */
export function lengthOf(fit: Fit): number | undefined {
  if (fit.kind !== 'fitted') return 0;
  return fit.proven ? fit.start.lengthTokens : undefined;
}

export function checkMoreMemory(part: Part, more: number): void {
  const input = aFit(part);
  const { totalBytes } = input.figures;
  // A pool that the engine printed, and what was free, are those of its card.
  const figures = {
    ...input.figures,
    kvAvailableBytes: undefined,
    kvTokens: undefined,
    estimatedMaxLen: undefined,
    freeAtStartBytes: undefined,
  };
  const product = 'NVIDIA-H100';
  const small = fitProfile({ ...input, product, figures });
  const large = fitProfile({ ...input, product, figures: { ...figures, totalBytes: (totalBytes ?? 0) + more } });
  const [before, after] = [lengthOf(small), lengthOf(large)];
  if (before === undefined || after === undefined) return;
  expect(after).toBeGreaterThanOrEqual(before);
}

export const runs = (numRuns: number) => ({ seed: 20_260_917, numRuns });
