import { figureIn, type MetricId, metricMeaning } from '../model/metric-table.ts';
import type { Series } from '../model/snapshot.ts';
import type { SortedSeries } from './known-series.ts';
import type { Question } from './prometheus-queries.ts';
import type { Missing } from './reading.ts';
import { sampleLine } from './sample-line.ts';

/** An answer further from the moment than this tells of another time. */
export const STALE_MS = 5 * 60_000;

export type ReadSeries = {
  readonly series: readonly Series[];
  readonly lines: readonly string[];
  readonly missing: Missing | undefined;
};

/** One metric of one answer, as series and as the last sample at or before `at` (epoch ms). */
export function readSeries(
  question: Question,
  id: MetricId,
  found: readonly SortedSeries[] | undefined,
  at: number,
): ReadSeries {
  if (found === undefined || found.length === 0) return { series: [], lines: [], missing: absent(question) };
  const last = found.map((one) => one.points.findLast(([time]) => time <= at)?.[0] ?? Number.NEGATIVE_INFINITY);
  const missing = lateness(Math.max(...last), at);
  return {
    series: question.instant ? [] : found.map((one) => toSeries(id, one, question.expression)),
    lines: found.flatMap((one) => lastLine(one, at)),
    missing,
  };
}

function absent({ group }: Question): Missing {
  const whose = {
    container: 'the container',
    gpu: 'a GPU of the pod',
    node: 'its node',
    engine: 'an engine in the pod',
  }[group];
  return { reason: 'empty', detail: `Prometheus has no such series of ${whose} in the time looked at` };
}

function lateness(last: number, at: number): Missing | undefined {
  if (last === Number.NEGATIVE_INFINITY) {
    return { reason: 'empty', detail: 'all samples are from after the moment looked at' };
  }
  const age = at - last;
  if (age <= STALE_MS) return undefined;
  return {
    reason: 'stale',
    detail: `the last sample is ${Math.round(age / 60_000)} min older than the moment looked at`,
  };
}

function toSeries(id: MetricId, { known, labels, points }: SortedSeries, query: string): Series {
  const { series } = known;
  return {
    id,
    unit: metricMeaning(id).unit,
    labels: { ...labels },
    query,
    points: points.map(([time, value]) => [time, scale(figureIn(series, labels, value), series.factor)]),
  };
}

// 97 times 0.01 has dust behind the comma.
function scale(value: number, factor: number): number {
  return factor === 1 ? value : Number((value * factor).toPrecision(12));
}

function lastLine({ name, labels, points }: SortedSeries, at: number): readonly string[] {
  const last = points.findLast(([time]) => time <= at && at - time <= STALE_MS);
  return last === undefined ? [] : [sampleLine(name, labels, { at: last[0], value: last[1] })];
}
