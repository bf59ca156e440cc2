import type { Cited } from '../../model/engine-reader.ts';
import { type JsonFile, parseJsonFile } from '../../model/json-file.ts';
import { type Series, SeriesFile } from '../../model/snapshot.ts';

export type Shape = 'flat-high' | 'flat-low' | 'climb' | 'spike' | 'plateau' | 'irregular';

/** `[epoch ms, value]`. */
export type Point = readonly [number, number];

/** A life of the container whose start is known, epoch ms; `to` is undefined while it lasts, or where its end is not known. */
export type KnownLife = { readonly from: number; readonly to: number | undefined };

/** A value with its time (epoch ms) and its sample. */
export type Sample = Cited<number> & { readonly at: number };

/** series.json as a value, or why not. Never throws. */
export function readSeriesFile(text: string): JsonFile<SeriesFile> {
  return parseJsonFile(SeriesFile, text);
}

// Shares are of the highest value, so that the same curve has the same shape at any size. Where they come from: a leak
// has no plateau, warmup growth stops, a high-water mark is a step and then flat (reading of public incidents); the
// figures are chosen so that ordinary noise of a working set (2 to 5%) decides nothing.
/** Fewer points tell no shape. */
const MIN_POINTS = 6;
const FLAT_SHARE = 0.1;
const HIGH_SHARE = 0.85;
const SPIKE_RISE_SHARE = 0.25;
const SPIKE_POINTS_SHARE = 0.15;
const CLIMB_RISE_SHARE = 0.1;
const CLIMB_STEP_SHARE = 0.03;
const CLIMB_ORDER = 0.5;
const PLATEAU_PART = 0.4;
const BINS = 60;
// A restart where no start is known: falls by half at once from a level that had been held for some points. A spike falls
// too, but was short.
const RESET_SHARE = 0.5;
const HELD_SHARE = 0.7;
const HELD_POINTS = 3;
// So long after a start a sample may still be of the instance before: a query looks back 90 s, and clocks differ.
const LINGER_MS = 2 * 60_000;

/**
 * Shape of a quantity over time, of its last run where it was reset: at a start of `lives`, and by a deep fall where they
 * tell nothing. `limit` in the unit of the points: flat is high from 85% of it.
 */
export function shapeOf(points: readonly Point[], limit?: number, lives: readonly KnownLife[] = []): Shape | undefined {
  const clean = points
    .filter(([at, value]) => Number.isFinite(at) && Number.isFinite(value) && value >= 0)
    .toSorted((a, b) => a[0] - b[0]);
  const run = lastRun(clean, lives);
  if (run.length < MIN_POINTS) return undefined;
  const values = run.map(([, value]) => value);
  if (isFlat(values)) return flat(values, limit);
  return isSpike(values) ? 'spike' : (trend(run) ?? 'irregular');
}

/** The last run that is long enough; a restart just before the end of the window leaves a stub. */
export function lastRun(points: readonly Point[], lives: readonly KnownLife[]): readonly Point[] {
  const runs = runsOf(points, lives);
  return runs.findLast((run) => run.length >= MIN_POINTS) ?? runs.at(-1) ?? [];
}

/** The points of each run from one restart to the next. */
function runsOf(points: readonly Point[], lives: readonly KnownLife[]): readonly (readonly Point[])[] {
  const runs: Point[][] = [];
  let run: Point[] = [];
  for (const point of points) {
    if (isReset(run, point, lives)) {
      runs.push(run);
      run = [];
    }
    run.push(point);
  }
  runs.push(run);
  return runs;
}

// What falls inside a life was released by the process itself.
function isReset(run: readonly Point[], [at, value]: Point, lives: readonly KnownLife[]): boolean {
  const last = run.at(-1);
  if (last === undefined) return false;
  if (lives.some(({ from }) => last[0] < from && from <= at)) return true;
  return !lives.some((life) => isInside(life, last[0], at)) && fallsDeep(run, last[1], value);
}

function isInside({ from, to = Number.POSITIVE_INFINITY }: KnownLife, a: number, b: number): boolean {
  return from + LINGER_MS <= a && b <= to;
}

function fallsDeep(run: readonly Point[], last: number, value: number): boolean {
  if (run.length < HELD_POINTS || value >= last * RESET_SHARE) return false;
  return run.slice(-HELD_POINTS).every(([, before]) => before >= last * HELD_SHARE);
}

function isFlat(values: readonly number[]): boolean {
  const high = highest(values);
  return high - quantile(values, 0.05) <= FLAT_SHARE * high;
}

// Nothing but its limit tells what is high.
function flat(values: readonly number[], limit: number | undefined): Shape | undefined {
  if (limit === undefined || !(limit > 0)) return highest(values) === 0 ? 'flat-low' : undefined;
  return quantile(values, 0.5) >= HIGH_SHARE * limit ? 'flat-high' : 'flat-low';
}

function isSpike(values: readonly number[]): boolean {
  const high = highest(values);
  const base = quantile(values, 0.5);
  if (high - base < SPIKE_RISE_SHARE * high) return false;
  // The other points must hold a level, or a steep end of a climb would count as a spike; the steep sides of the peak itself
  // are few where readings are close enough to have met them.
  return [1 / 2, FLAT_SHARE].some((part) => {
    const edge = base + (high - base) * part;
    const above = values.filter((value) => value > edge).length;
    const below = values.filter((value) => value <= edge);
    const isCalm = highest(below) - quantile(below, 0.05) <= SPIKE_RISE_SHARE * high;
    return isCalm && above <= Math.max(1, SPIKE_POINTS_SHARE * values.length);
  });
}

function trend(run: readonly Point[]): Shape | undefined {
  const bins = binned(run);
  const high = highest(bins);
  const from = Math.floor(bins.length * (1 - PLATEAU_PART));
  const end = bins.slice(from);
  const isLevel = Math.max(...end) - Math.min(...end) <= FLAT_SHARE * high;
  const rise = quantile(end, 0.5) - Math.min(...bins.slice(0, from));
  if (isLevel && rise >= FLAT_SHARE * high && !stillRises(bins)) return 'plateau';
  const [first, second, third] = thirds(bins);
  const step = CLIMB_STEP_SHARE * high;
  const isClimb = second - first >= step && third - second >= step && third - first >= CLIMB_RISE_SHARE * high;
  return isClimb && order(bins) >= CLIMB_ORDER ? 'climb' : undefined;
}

// A slow leak rises by less than a tenth in the last part and is no plateau for that: compare its pace with the whole.
function stillRises(bins: readonly number[]): boolean {
  const [first, second, third] = thirds(bins);
  const whole = third - first;
  return whole > 0 && third - second >= whole * 0.35;
}

// Medians of equal spans of time: gaps and uneven sampling weigh nothing.
function binned(run: readonly Point[]): readonly number[] {
  const start = run[0]?.[0] ?? 0;
  const span = (run.at(-1)?.[0] ?? 0) - start;
  if (span <= 0 || run.length <= BINS / 2) return run.map(([, value]) => value);
  const groups = Map.groupBy(run, ([at]) => Math.min(BINS - 1, Math.floor(((at - start) / span) * BINS)));
  return [...groups.values()].map((group) =>
    quantile(
      group.map(([, value]) => value),
      0.5,
    ),
  );
}

function thirds(values: readonly number[]): readonly [number, number, number] {
  const cut = Math.max(1, Math.floor(values.length / 3));
  const middle = values.slice(cut, values.length - cut);
  return [quantile(values.slice(0, cut), 0.5), quantile(middle, 0.5), quantile(values.slice(-cut), 0.5)];
}

// Kendall's tau: 1 when every later value is higher, 0 for noise.
function order(values: readonly number[]): number {
  let sum = 0;
  for (const [i, a] of values.entries()) for (const b of values.slice(i + 1)) sum += Math.sign(b - a);
  return sum / ((values.length * (values.length - 1)) / 2);
}

function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0;
}

// Not Math.max(...values): a long series has more points than a call may have arguments.
function highest(values: readonly number[]): number {
  return values.reduce((high, value) => Math.max(high, value), 0);
}

function sampleOf(series: Series, point: Point): Sample {
  const [at, value] = point;
  return { value, at, from: { kind: 'sample', file: 'series.json', series: series.id, at, value } };
}

/** The highest sample of a series; the first of several. */
export function peakOf(series: Series): Sample | undefined {
  const top = series.points.reduce<Point | undefined>((best, point) => {
    if (!Number.isFinite(point[1])) return best;
    return best === undefined || point[1] > best[1] ? point : best;
  }, undefined);
  return top && sampleOf(series, top);
}

/** The last sample at or before `at` (epoch ms), no older than `maxAgeMs`. */
export function lastBefore(series: Series, at: number, maxAgeMs = Number.POSITIVE_INFINITY): Sample | undefined {
  const before = series.points.filter(
    (point) => point[0] <= at && point[0] >= at - maxAgeMs && Number.isFinite(point[1]),
  );
  const last = before.toSorted((a, b) => a[0] - b[0]).at(-1);
  return last && sampleOf(series, last);
}
