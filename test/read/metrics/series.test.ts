import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Series } from '../../../src/model/snapshot.ts';
import { lastBefore, type Point, peakOf, readSeriesFile, shapeOf } from '../../../src/read/metrics/series.ts';

const MINUTE = 60_000;
const everyMinute = (values: readonly number[]): Point[] => values.map((value, i) => [i * MINUTE, value]);
const range = (n: number, of: (i: number) => number) => Array.from({ length: n }, (_, i) => of(i));
// Noise that is the same in every run.
const noise = (i: number, size: number) => Math.sin(i * 12.9898) * size;
const shape = (points: readonly Point[], limit?: number) => shapeOf(points, limit);

const FLAT = range(60, (i) => 90 + noise(i, 2));
const LEAK = range(60, (i) => 20 + i + noise(i, 1));
const SPIKE = range(60, (i) => (i === 40 ? 95 : 30 + noise(i, 2)));
const STEP = range(60, (i) => (i < 20 ? 60 : 82) + noise(i, 1));

describe('the shape of a series', () => {
  it.each([
    ['near the limit', FLAT, 100, 'flat-high'],
    ['exactly at the mark', range(10, () => 85), 100, 'flat-high'],
    ['just below it', range(10, () => 84), 100, 'flat-low'],
    ['far below the limit', FLAT, 400, 'flat-low'],
    ['flat against nothing', FLAT, undefined, undefined],
    ['flat against a limit of zero', FLAT, 0, undefined],
    ['zero', range(10, () => 0), undefined, 'flat-low'],
    ['a leak', LEAK, 100, 'climb'],
    ['a slow leak', range(60, (i) => 60 + i * 0.4), 100, 'climb'],
    ['a leak that is sampled coarsely', [20, 24, 31, 35, 41, 46, 52], 100, 'climb'],
    ['one short peak', SPIKE, 100, 'spike'],
    ['a peak that ends the run', range(40, (i) => (i >= 38 ? 95 : 30)), 100, 'spike'],
    ['a high-water mark: a step, then flat', STEP, 100, 'plateau'],
    ['warm-up that stops', range(60, (i) => Math.min(82, 60 + i)), 100, 'plateau'],
    ['a level, and a steep rise of a few readings', [...range(34, () => 11), 13, 19, 27, 36, 44, 47], 100, 'spike'],
    [
      'a level, and a rise as long as a third of it',
      [...range(30, () => 11), ...range(10, (i) => 13 + 4 * i)],
      100,
      'irregular',
    ],
    ['up and down', range(60, (i) => 10 + Math.abs((i % 20) - 10) * 8), 100, 'irregular'],
    ['a wave', range(60, (i) => 50 + 30 * Math.sin(i / 4)), 100, 'irregular'],
    ['five points', [1, 2, 3, 4, 5], 100, undefined],
    ['nothing', [], 100, undefined],
  ])('%s', (_, values, limit, expected) => {
    expect(shape(everyMinute(values), limit)).toBe(expected);
  });

  it('is that of the last run: every run of a container that restarts climbs', () => {
    const runs = [...range(30, (i) => 20 + i * 2), ...range(30, (i) => 20 + i * 2)];

    expect(shape(everyMinute(runs), 100)).toBe('climb');
  });

  it('is not that of a stub after the last restart', () => {
    expect(shape(everyMinute([...LEAK, 2, 2]), 100)).toBe('climb');
  });

  it.each([
    ['no start is known: each tooth is a life', [], 'climb'],
    ['one life holds all teeth', [{ from: -10 * MINUTE, to: 100 * MINUTE }], 'irregular'],
    ['a life that goes on holds them', [{ from: -10 * MINUTE, to: undefined }], 'irregular'],
    ['the container started at the last fall', [{ from: 39 * MINUTE, to: 100 * MINUTE }], 'climb'],
    ['a life ended at the last fall', [{ from: -10 * MINUTE, to: 39 * MINUTE }], 'climb'],
    ['the samples of the one before linger', [{ from: 38.2 * MINUTE, to: undefined }], 'climb'],
    ['a life that began long after them', [{ from: 200 * MINUTE, to: undefined }], 'climb'],
  ])('of a sawtooth: %s', (_, lives, expected) => {
    expect(shapeOf(everyMinute(range(60, (i) => 20 + (i % 20) * 2)), 100, lives)).toBe(expected);
  });

  it('is cut at a start that is known, however little it fell', () => {
    const points = everyMinute([...range(30, (i) => 60 - i), ...range(30, (i) => 32 + i)]);

    expect(shape(points, 100)).toBe('irregular');
    expect(shapeOf(points, 100, [{ from: 29.5 * MINUTE, to: undefined }])).toBe('climb');
  });

  it('is not changed by a gap', () => {
    const gap = everyMinute(LEAK).filter(([at]) => at < 20 * MINUTE || at > 35 * MINUTE);

    expect(shape(gap, 100)).toBe('climb');
  });

  it('does not count points that are no numbers, nor the order they come in', () => {
    const points = everyMinute(FLAT).flatMap((point): Point[] => [point, [point[0], Number.NaN]]);

    expect(shape(points.toReversed(), 100)).toBe('flat-high');
  });

  it('is the same at any size, and never throws', () => {
    const value = fc.oneof(fc.double({ min: 0, max: 1e3, noNaN: true }), fc.constantFrom(0, 50, 100, Number.NaN));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 80 }), (values) => {
        const points = everyMinute(values);
        // Powers of two keep the digits, so that no rounding decides.
        const larger = everyMinute(values.map((each) => each * 1024 ** 3));

        expect(shape(larger, 100 * 1024 ** 3)).toBe(shape(points, 100));
      }),
      { numRuns: 200, seed: 8 },
    );
  });

  it('takes very long series', () => {
    const points = range(200_000, (i) => 20 + i / 1000).map((value, i): Point => [i * 1000, value]);

    expect(shape(points, 1000)).toBe('climb');
  });
});

const series = (points: [number, number][]): Series => {
  return { id: 'gpu.framebuffer.used', unit: 'bytes', labels: {}, query: 'q', points };
};

describe('a sample of a series', () => {
  const three = series([
    [1000, 5],
    [2000, 9],
    [3000, 9],
  ]);

  it('at its peak is the first of several, cited', () => {
    expect(peakOf(three)).toEqual({
      value: 9,
      at: 2000,
      from: { kind: 'sample', file: 'series.json', series: 'gpu.framebuffer.used', at: 2000, value: 9 },
    });
    expect(peakOf(series([]))).toBeUndefined();
  });

  it.each([
    ['between two', 2500, undefined, 2000],
    ['on one', 2000, undefined, 2000],
    ['after all', 9000, undefined, 3000],
    ['after all, too old', 9000, 1000, undefined],
    ['exactly as old as allowed', 4000, 1000, 3000],
    ['before all', 500, undefined, undefined],
  ])('before a time: %s', (_, at, maxAge, found) => {
    expect(lastBefore(three, at, maxAge)?.at).toBe(found);
  });
});

const file = { from: 0, to: 1, stepMs: 15000, series: [], unknown: [] };

it.each([
  ['as written', JSON.stringify(file), 'value'],
  ['with a key nobody knows', JSON.stringify({ ...file, extra: 1 }), 'bad'],
  [
    'with a value that is no number',
    JSON.stringify({ ...file, series: [{ ...series([]), points: [[1, null]] }] }),
    'bad',
  ],
  ['cut off', '{"from":0', 'bad'],
  ['empty', '', 'bad'],
])('series.json: %s', (_, text, kind) => {
  expect(readSeriesFile(text).kind).toBe(kind);
});
