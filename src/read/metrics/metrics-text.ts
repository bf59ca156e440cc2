import type { LineCitation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import { canonicalOf, type MetricId, metricMeaning, zeroesWith } from '../../model/metric-table.ts';
import { allLines, evidenceLines, type LabelledLine } from '../text/lines.ts';
import { type MetricSample, readSample } from './exposition.ts';
import { TopRows } from './kubectl-top.ts';
import { type Meaning, meaningsOf } from './metric-meaning.ts';
import { seriesFrom, type TextSeries } from './text-series.ts';

export type { MetricSample };

export type MetricsTextReading = {
  readonly samples: readonly MetricSample[];
  readonly series: readonly TextSeries[];
  /** The samples and rows that say by labels whose they are. */
  readonly labelled: readonly LabelledLine[];
};

/** metrics.txt: the exposition format, or what `kubectl top pod` prints. Never throws. */
export function readMetricsText(text: string): MetricsTextReading {
  const top = new TopRows();
  const samples: MetricSample[] = [];
  for (const line of evidenceLines(text)) {
    const sample = top.take(line) ? undefined : readSample(line);
    if (sample !== undefined) samples.push(sample);
  }
  return {
    samples,
    series: [...top.series(), ...sampleSeries(samples)],
    labelled: [...samples.flatMap(labelledBy), ...top.labelled()],
  };
}

/** The text with all other lines left blank: HELP and TYPE say what a metric means, and nothing else belongs there. */
export function onlyMetrics(text: string): string {
  const top = new TopRows();
  return allLines(text)
    .map((line) => (top.take(line) || readSample(line) !== undefined ? line.raw : ''))
    .join('\n');
}

function labelledBy({ name, labels, from }: MetricSample): LabelledLine[] {
  return Object.keys(labels).length === 0 ? [] : [{ name, labels, line: from.line }];
}

type Known = { readonly sample: MetricSample; readonly meaning: Meaning; readonly value: number };

// Scraped again and again: the same series with the same labels.
function sampleSeries(samples: readonly MetricSample[]): readonly TextSeries[] {
  const groups = Map.groupBy(
    samples.flatMap(knownOf),
    ({ sample, meaning }) => `${meaning.id} ${sample.name} ${JSON.stringify(sample.labels)}`,
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined || group.length < 2) return [];
    const { id } = first.meaning;
    return seriesFrom(
      { id, unit: metricMeaning(id).unit, labels: first.sample.labels },
      group.map(({ sample, value }) => ({ at: sample.at, sample: { value, from: sample.from } })),
    );
  });
}

function knownOf(sample: MetricSample): readonly Known[] {
  if (!Number.isFinite(sample.value)) return [];
  return meaningsOf(sample.name, sample.labels).map((meaning) => {
    const { label, factor } = meaning;
    return { sample, meaning, value: scaled(label === null ? sample.value : Number(sample.labels[label]), factor) };
  });
}

/**
 * The value of a metric in its own unit: of all samples that bear its newest name (summed, or the worst, as the table
 * says), else the end of a series. The citation is the line that weighs most.
 */
export function metricValue(reading: MetricsTextReading, id: MetricId): Cited<number> | undefined {
  const values = currentValues(reading, id);
  if (values.length > 0) return combine(values, metricMeaning(id).combine);
  const point = reading.series.findLast((series) => series.id === id)?.points.at(-1);
  return point && { value: point.value, from: point.from };
}

/** A value as one sample has it. */
type LabelledValue = Cited<number> & { readonly labels: MetricSample['labels'] };

/** What the samples that bear the newest name of a metric say, each on its own. */
export function currentValues(reading: MetricsTextReading, id: MetricId): readonly LabelledValue[] {
  const known = reading.samples.flatMap(knownOf).filter(({ meaning }) => meaning.id === id);
  const series = known[0]?.meaning.series;
  // A series that is there twice was scraped twice: the last one stands.
  const last = new Map(
    known.filter(({ meaning }) => meaning.series === series).map((k) => [JSON.stringify(k.sample.labels), k]),
  );
  if (last.size === 0) return zeroIn(reading, id);
  return [...last.values()]
    .map(({ sample, value }) => ({ value, from: sample.from, labels: sample.labels }))
    .filter(({ value }) => isMeant(id, value));
}

function zeroIn({ samples }: MetricsTextReading, id: MetricId): readonly LabelledValue[] {
  const witness = samples.find(({ name }) => zeroesWith(name).includes(id));
  return witness === undefined ? [] : [{ value: 0, from: witness.from, labels: {} }];
}

// 57 percent times 0.01 has dust behind the comma.
function scaled(value: number, factor: number): number {
  return factor < 1 ? Math.round(value * factor * 1e9) / 1e9 : value * factor;
}

// 0 is cAdvisor's word for no limit and SGLang's for a size that it does not count, -1 vLLM's for a prefix cache that is off.
function isMeant(id: MetricId, value: number): boolean {
  if (metricMeaning(id).above0) return value > 0;
  return id !== 'prefix-cache.hit-share' || value >= 0;
}

function combine(values: readonly Cited<number>[], how: 'max' | 'min' | 'sum'): Cited<number> | undefined {
  const sorted = values.toSorted((a, b) => b.value - a.value);
  const most = how === 'min' ? sorted.at(-1) : sorted[0];
  if (most === undefined || how !== 'sum') return most;
  return { value: values.reduce((sum, { value }) => sum + value, 0), from: most.from };
}

/** Quantile `q` (0 to 1) of a histogram over all its labels, by linear interpolation inside the bucket; undefined where it is empty. */
export function quantileOf(reading: MetricsTextReading, id: MetricId, q: number): Cited<number> | undefined {
  const buckets = bucketsOf(reading, id);
  const all = buckets.at(-1)?.count ?? 0;
  if (all <= 0) return undefined;
  const rank = Math.min(Math.max(q, 0), 1) * all;
  const at = buckets.findIndex((bucket) => bucket.count >= rank);
  const bucket = buckets[at];
  const below = buckets[at - 1];
  if (bucket === undefined) return undefined;
  // Above the last finite bound nothing more is known than that bound.
  if (!Number.isFinite(bucket.bound)) return below && { value: below.bound, from: below.from };
  const floor = below?.bound ?? 0;
  const inside = bucket.count - (below?.count ?? 0);
  const share = inside > 0 ? (rank - (below?.count ?? 0)) / inside : 1;
  return { value: floor + (bucket.bound - floor) * share, from: bucket.from };
}

type Bucket = { readonly bound: number; readonly count: number; readonly from: LineCitation };

function bucketsOf(reading: MetricsTextReading, id: MetricId): readonly Bucket[] {
  const own = reading.samples.filter(
    ({ name, labels, value }) =>
      Number.isFinite(value) &&
      labels.le !== undefined &&
      canonicalOf(name).some((known) => known.id === id && known.part === 'bucket'),
  );
  const last = new Map(own.map((sample) => [`${sample.name} ${JSON.stringify(sample.labels)}`, sample]));
  const byBound = Map.groupBy(last.values(), ({ labels }) =>
    labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le),
  );
  return [...byBound]
    .filter(([bound]) => !Number.isNaN(bound))
    .map(([bound, group]) => ({
      bound,
      count: group.reduce((sum, sample) => sum + sample.value, 0),
      from: group[0]?.from,
    }))
    .flatMap(({ bound, count, from }) => (from === undefined ? [] : [{ bound, count, from }]))
    .toSorted((a, b) => a.bound - b.bound);
}
