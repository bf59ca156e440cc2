import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import type { MetricId } from '../../model/metric-table.ts';
import type { Series } from '../../model/snapshot.ts';
import { deathTime, knownLives } from '../../read/cluster/death.ts';
import { metricValue } from '../../read/metrics/metrics-text.ts';
import {
  type KnownLife,
  lastBefore,
  type Point,
  peakOf,
  type Sample,
  type Shape,
  shapeOf,
} from '../../read/metrics/series.ts';
import { pointsOf, type TextSeries } from '../../read/metrics/text-series.ts';
import { unknown } from '../../read/reading.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { fact, uniqueProof } from '../log/draft.ts';
import { readLife } from './life.ts';

/** The series of a metric; several where it has one per GPU or rank. */
export function seriesOf({ series }: Evidence, id: MetricId): readonly Series[] {
  return series?.series.filter((one) => one.id === id && one.points.length > 0) ?? [];
}

// Beyond this a sample is about another hour, not about the failure.
const STALE_MS = 10 * 60_000;

/** The last sample before the failure of each series of a metric, with its labels. */
export function samplesBefore(evidence: Evidence, id: MetricId): readonly LabelledSample[] {
  const until = deathTime(evidence.death) ?? evidence.series?.to;
  if (until === undefined) return [];
  return seriesOf(evidence, id).flatMap((series) => {
    const last = lastBefore(series, until, STALE_MS);
    return last === undefined ? [] : [{ ...last, labels: series.labels }];
  });
}

type LabelledSample = Sample & { readonly labels: Series['labels'] };

/** The value just before the failure: from the series, else from metrics.txt. Of several series the highest, as for the fullest GPU. */
export function valueBefore(evidence: Evidence, id: MetricId): Cited<number> | undefined {
  const highest = samplesBefore(evidence, id).toSorted((a, b) => b.value - a.value)[0];
  if (highest !== undefined) return highest;
  return evidence.metrics === undefined ? undefined : metricValue(evidence.metrics, id);
}

/** The series of a metric up to the failure: what comes behind it is the next process. */
export function seriesBefore(evidence: Evidence, id: MetricId): readonly Series[] {
  const died = deathTime(evidence.death);
  if (died === undefined) return seriesOf(evidence, id);
  return seriesOf(evidence, id)
    .map((series) => ({ ...series, points: series.points.filter(([at]) => at <= died) }))
    .filter(({ points }) => points.length > 0);
}

/** A size of the engine, which stays as it is while it lives: of the newest samples the least, and none that is zero. */
export function sizeBefore(evidence: Evidence, id: MetricId): Cited<number> | undefined {
  const samples = samplesBefore(evidence, id).filter(({ value }) => value > 0);
  const newest = Math.max(...samples.map(({ at }) => at));
  const least = samples.filter(({ at }) => at === newest).toSorted((a, b) => a.value - b.value)[0];
  if (least !== undefined) return least;
  return evidence.metrics === undefined ? undefined : metricValue(evidence.metrics, id);
}

// Of these neither end tells how high it went.
const UPS_AND_DOWNS: readonly Shape[] = ['spike', 'irregular'];

/** Shape of a quantity over time, from the series or from a table in the texts; `limit` in its own unit. */
export function shapeFact(evidence: Evidence, id: MetricId, limit: number | undefined): Fact | undefined {
  const all = seriesBefore(evidence, id);
  const reaching = all.filter(({ points }) => reachesFailure(evidence, points));
  for (const series of reaching) {
    const at = series.points.at(-1);
    const reading = shapeOf(series.points, limit, livesIn(evidence, series.labels));
    if (reading === 'climb' && isLoad(evidence, series.points)) {
      return unknown('empty', 'the engine was still starting: that its memory grew says nothing of what comes after');
    }
    if (reading !== undefined && at !== undefined) {
      const last = { kind: 'sample', file: 'series.json', series: series.id, at: at[0], value: at[1] } as const;
      const peak = UPS_AND_DOWNS.includes(reading) ? peakOf(series)?.from : undefined;
      return fact<Shape>(reading, uniqueProof(peak === undefined ? [last] : [peak, last]));
    }
  }
  const told = textSeriesOf(evidence, id)
    .filter((series) => !(series.timed && isLoad(evidence, pointsOf(series))))
    .map((series) => textShape(series, limit, livesIn(evidence, series.labels)))
    .find((found) => found !== undefined);
  return (
    told ?? (reaching.length < all.length ? unknown('stale', 'the series ends long before the failure') : undefined)
  );
}

// A gap of more than this part of what was watched can hold any shape.
const GAP_SHARE = 0.1;

function reachesFailure(evidence: Evidence, points: readonly Point[]): boolean {
  const [first, last, died] = [points[0], points.at(-1), deathTime(evidence.death)];
  if (first === undefined || last === undefined || died === undefined) return true;
  return died - last[0] <= Math.max(STALE_MS, GAP_SHARE * (last[0] - first[0]));
}

function livesIn({ pod, death }: Evidence, labels: Readonly<Record<string, string>>): readonly KnownLife[] {
  return knownLives(pod, death, labels.exported_container ?? labels.container);
}

// No start of an engine takes longer; a curve of more than that is of a life before this start.
const LONGEST_LOAD_MS = 3_600_000;

function isLoad(evidence: Evidence, points: readonly Point[]): boolean {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || last[0] - first[0] > LONGEST_LOAD_MS) return false;
  const life = readLife(evidence);
  if (life.kind === 'known' && life.value === 'starting') return true;
  // It has come up and has not served yet: all of the curve is the start.
  const { milestones } = evidence.engine;
  return milestones.length > 0 && !milestones.some(({ milestone }) => milestone === 'served');
}

/** The series of a metric that stand in the texts. */
export function textSeriesOf({ metrics, smi }: Evidence, id: string): readonly TextSeries[] {
  return [...(metrics?.series ?? []), ...(smi?.series ?? [])].filter((series) => series.id === id);
}

function textShape(series: TextSeries, limit: number | undefined, lives: readonly KnownLife[]): Fact | undefined {
  const reading = shapeOf(pointsOf(series), limit, lives);
  if (reading === undefined) return undefined;
  const { points } = series;
  const [peak] = UPS_AND_DOWNS.includes(reading) ? points.toSorted((a, b) => b.value - a.value) : [];
  const shown = [peak, points[0], points.at(-1)].filter((point) => point !== undefined);
  return fact(reading, uniqueProof(shown.map(({ from }) => from)));
}
