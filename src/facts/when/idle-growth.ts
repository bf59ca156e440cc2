import type { Fact } from '../../model/fact.ts';
import type { MetricId } from '../../model/metric-table.ts';
import type { Series } from '../../model/snapshot.ts';
import { knownLives } from '../../read/cluster/death.ts';
import { lastRun, type Point } from '../../read/metrics/series.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { fact } from '../log/draft.ts';
import { seriesBefore } from './series-figures.ts';

// What is served counts up, or is under way. A gauge alone misses what comes and goes between two readings.
const COUNTERS: readonly MetricId[] = ['requests.success', 'prefix-cache.queries'];
const GAUGES: readonly MetricId[] = ['requests.running', 'requests.waiting'];
// What is too short to tell a growth by, in ms: pauses between two requests, a life that is hardly more than its load.
const LEAST_MS = 30 * 60_000;
const LEAST_SHARE = 0.1;
// What requests bring stops with them; noise of the readings is far below half of the pace.
const LEAST_PACE = 0.5;

/**
 * Whether a memory went on growing while nothing was served: at half or more of the pace that it has over the whole run. No
 * cache fills then and no load rises. Undefined where no pause of some length was watched.
 */
export function readIdleGrowth(evidence: Evidence, memory: MetricId): Fact | undefined {
  const work = workOf(evidence);
  if (!work.some(({ isCounter }) => isCounter)) return undefined;
  for (const series of seriesBefore(evidence, memory)) {
    const lives = knownLives(evidence.pod, evidence.death, series.labels.exported_container ?? series.labels.container);
    const run = fromFirstWork(lastRun(series.points, lives), work);
    const [last, pace] = [run.at(-1), paceOf(run, work)];
    if (last === undefined || pace === undefined) continue;
    return fact(pace >= LEAST_PACE, [
      { kind: 'sample', file: 'series.json', series: series.id, at: last[0], value: last[1] },
    ]);
  }
  return undefined;
}

type Work = { readonly isCounter: boolean; readonly points: readonly Point[] };

// What tells whether anything was served.
function workOf(evidence: Evidence): readonly Work[] {
  const read = (ids: readonly MetricId[], isCounter: boolean) =>
    ids.flatMap((id) => seriesBefore(evidence, id)).map(({ points }: Series): Work => ({ isCounter, points }));
  return [...read(COUNTERS, true), ...read(GAUGES, false)];
}

// A run from where it first served: before that it loads, and what that takes is no growth. Empty where that is not known.
function fromFirstWork(run: readonly Point[], work: readonly Work[]): readonly Point[] {
  const first = run.findIndex((point, i) => {
    const next = run[i + 1];
    return next !== undefined && isKnown(work, point[0], next[0]) && !isIdle(work, point[0], next[0]);
  });
  return first === -1 ? [] : run.slice(first);
}

function paceOf(run: readonly Point[], work: readonly Work[]): number | undefined {
  const [first, last] = [run[0], run.at(-1)];
  if (first === undefined || last === undefined || last[1] <= first[1]) return undefined;
  const whole = { ms: last[0] - first[0], growth: last[1] - first[1] };
  const idle = { ms: 0, growth: 0 };
  for (const [i, [from, before]] of run.entries()) {
    const next = run[i + 1];
    if (next === undefined || !isKnown(work, from, next[0]) || !isIdle(work, from, next[0])) continue;
    idle.ms += next[0] - from;
    idle.growth += next[1] - before;
  }
  if (idle.ms < Math.max(LEAST_MS, LEAST_SHARE * whole.ms)) return undefined;
  return idle.growth / idle.ms / (whole.growth / whole.ms);
}

function isKnown(work: readonly Work[], from: number, to: number): boolean {
  return work.every(({ points }) => around(points, from, to).length >= 2);
}

function isIdle(work: readonly Work[], from: number, to: number): boolean {
  return work.every(({ isCounter, points }) => {
    const values = around(points, from, to).map(([, value]) => value);
    return isCounter ? values.every((value) => value === values[0]) : values.every((value) => value === 0);
  });
}

// The readings inside a span of time, with the one before and the one after it.
function around(points: readonly Point[], from: number, to: number): readonly Point[] {
  const first = points.findLastIndex(([at]) => at <= from);
  const last = points.findIndex(([at]) => at >= to);
  return first === -1 || last === -1 ? [] : points.slice(first, last + 1);
}
