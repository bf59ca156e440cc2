import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BucketPoints,
  boundsOfPart,
  countOf,
  countUpTo,
  type Histogram,
  increaseOf,
  quantileOf,
} from '../../src/actions/histogram.ts';

const INF = Number.POSITIVE_INFINITY;
const BORN = { from: 0, isBorn: (): boolean => true };
const never = { from: 0, isBorn: (): boolean => false };

/** Counts of the three buckets at each second. */
function buckets(source: string, moments: Readonly<Record<number, readonly number[]>>): BucketPoints[] {
  const points = Object.entries(moments);
  return [1, 5, INF].map((le, i) => ({ source, le, points: points.map(([at, counts]) => [+at, counts[i] ?? 0]) }));
}

/** Counts up to each bound, and of all. */
const counted = (all: number, upTo: Readonly<Record<number, number>> = {}): Histogram => [
  ...Object.entries(upTo).map(([le, count]) => [+le, count] as const),
  [INF, all],
];

describe('what a histogram has counted over a time', () => {
  it.each<[name: string, moments: Record<number, number[]>, past: typeof never, expected: number[]]>([
    ['grows', { 0: [10, 20, 30], 60: [15, 30, 50] }, never, [5, 10, 20]],
    ['stands still', { 0: [10, 20, 30], 60: [10, 20, 30] }, never, [0, 0, 0]],
    [
      'began anew, as the process did',
      { 0: [10, 20, 30], 60: [15, 30, 40], 120: [1, 2, 3], 180: [2, 4, 6] },
      never,
      [7, 14, 16],
    ],
    ['began anew and is lower in all but one bucket', { 0: [1, 20, 30], 60: [2, 3, 4] }, never, [2, 3, 4]],
    ['of a process that began after the start', { 60: [10, 20, 30] }, BORN, [10, 20, 30]],
    ['of one whose name had another before', { 0: [10, 20, 30], 60: [1, 2, 3] }, BORN, [1, 2, 3]],
    ['of one that was there and was read once', { 60: [10, 20, 30] }, never, [0, 0, 0]],
  ])('%s', (_, moments, past, expected) => {
    expect(increaseOf(buckets('a', moments), past).map(([, count]) => count)).toEqual(expected);
  });

  it('of several processes is their sum, each with a reset of its own', () => {
    const a = buckets('a', { 0: [0, 0, 0], 60: [4, 5, 6] });
    const b = buckets('b', { 0: [9, 9, 9], 60: [1, 1, 1] });

    expect(increaseOf([...a, ...b], never)).toEqual(counted(7, { 1: 5, 5: 6 }));
  });

  it('does not take a moment that was read in part for a fall', () => {
    const whole = buckets('a', { 0: [1, 2, 3], 60: [2, 3, 4], 120: [3, 4, 5] });
    const torn = whole.map((one) =>
      one.le === INF ? { ...one, points: one.points.filter(([at]) => at !== 60) } : one,
    );

    expect(countOf(increaseOf(torn, never))).toBe(2);
  });
});

describe('a quantile', () => {
  const histogram = counted(100, { 1: 50, 5: 90 });

  it.each([
    [0.5, { kind: 'known', value: 1, atLeast: false }],
    [0.25, { kind: 'known', value: 0.5, atLeast: false }],
    [0.7, { kind: 'known', value: 3, atLeast: false }],
    [0.9, { kind: 'known', value: 5, atLeast: false }],
    [0.99, { kind: 'known', value: 5, atLeast: true }],
  ] as const)('%d', (q, expected) => {
    expect(quantileOf(histogram, q)).toEqual(expected);
  });

  it('of nothing there is none', () => {
    expect(quantileOf([], 0.99)).toEqual({ kind: 'empty' });
    expect(quantileOf(counted(0, { 1: 0 }), 0.99)).toEqual({ kind: 'empty' });
  });

  it('is not told of less than the next lower bound', () => {
    expect(countUpTo(histogram, 4)).toBe(50);
    expect(countUpTo(histogram, 0.5)).toBe(0);
  });
});

describe('the bounds of a part', () => {
  it('hold whichever requests the part is', () => {
    const bounds = Array.from({ length: 40 }, (_, i) => i + 1);
    const waits = fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.boolean()), { minLength: 20, maxLength: 80 });

    fc.assert(
      fc.property(waits, (all) => {
        const part = all
          .filter(([, short]) => short)
          .map(([wait]) => wait)
          .sort((a, b) => a - b);
        fc.pre(part.length > 0);
        const histogram = bounds.map((le) => [le, all.filter(([wait]) => wait <= le).length] as const);
        const q = 0.95;
        const true95 = part[Math.ceil(q * part.length - 1e-9) - 1] ?? 0;

        const { low, high } = boundsOfPart(histogram, { share: part.length / all.length, q });

        // Within a bucket the place is a guess: one width of it.
        expect(low).toMatchObject({ kind: 'known' });
        expect('value' in low && low.value).toBeLessThanOrEqual(true95 + 1e-9);
        expect('value' in high && high.value).toBeGreaterThan(true95 - 1 - 1e-9);
      }),
      { seed: 7, numRuns: 200 },
    );
  });

  it('are the quantile itself where all are of the part', () => {
    const histogram = counted(100, { 1: 50, 2: 100 });

    const { low, high } = boundsOfPart(histogram, { share: 1, q: 0.95 });

    expect(low).toEqual(high);
  });
});
