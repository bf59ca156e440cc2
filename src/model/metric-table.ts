import type { MetricId } from './metric.ts';
import type { MetricSeries } from './metrics-file.ts';
import { fromTables, tablesInForce } from './reference-tables.ts';

export { COMMON_IDS, isMetricId, METRIC_IDS, type MetricId, metricMeaning } from './metric.ts';
export type { MetricSeries };

/** Series that hold a metric, newest name first; of one engine (or exporter) and of one version where these are given. */
export function seriesOf(id: MetricId, engine?: string, version?: string): readonly MetricSeries[] {
  return tablesInForce().metrics.filter(
    (series) => series.id === id && (engine === undefined || series.engine === engine) && isIn(series, version),
  );
}

/** Names to ask for: as exposed, then with `_` for `:`, which a managed Prometheus that forbids colons makes of them. */
export function seriesNames(id: MetricId, engine?: string, version?: string): readonly string[] {
  const names = seriesOf(id, engine, version).map((series) => series.name);
  return [...new Set([...names, ...names.map(withoutColon)])];
}

function withoutColon(name: string): string {
  return name.replace(':', '_');
}

function isIn(series: MetricSeries, version: string | undefined): boolean {
  if (version === undefined) return true;
  const since = series.from === null ? 0 : compareVersions(version, series.from);
  const until = series.to === null ? 0 : compareVersions(version, series.to, partsOf(series.to).length);
  return since >= 0 && until <= 0;
}

/** Compares `0.9.2` with `0.11.0rc1+cu124` by number: below 0, 0 or above 0; only the first `depth` parts count. */
export function compareVersions(a: string, b: string, depth = 4): number {
  const left = partsOf(a);
  const right = partsOf(b);
  for (let i = 0; i < depth; i += 1) {
    const diff = (left[i] ?? 0) - (right[i] ?? 0);
    if (diff !== 0) return diff;
  }
  return 0;
}

function partsOf(version: string): readonly number[] {
  const match = /\d+(?:\.\d+)*/.exec(version);
  return match === null ? [] : match[0].split('.').map(Number);
}

export type KnownSeries = {
  readonly id: MetricId;
  readonly series: MetricSeries;
  /** Which part of a histogram the name is. */
  readonly part: 'bucket' | 'sum' | 'count' | undefined;
};

/**
 * What a name means (`vllm:kv_cache_usage_perc`, `vllm_kv_cache_usage_perc`, `vllm:request_prompt_tokens_bucket`).
 * Several meanings where labels decide, as with the status classes of http_requests_total; see `appliesTo`.
 */
export function canonicalOf(name: string): readonly KnownSeries[] {
  return byName().get(name) ?? [];
}

const byName = fromTables(({ metrics }): ReadonlyMap<string, readonly KnownSeries[]> => {
  const known = new Map<string, KnownSeries[]>();
  for (const series of metrics) {
    for (const [name, part] of spellings(series)) {
      for (const form of new Set([name, withoutColon(name)])) {
        known.set(form, [...(known.get(form) ?? []), { id: series.id, series, part }]);
      }
    }
  }
  return known;
});

function spellings(series: MetricSeries): readonly (readonly [string, KnownSeries['part']])[] {
  if (series.kind !== 'histogram') return [[series.name, undefined]];
  return [
    [`${series.name}_bucket`, 'bucket'],
    [`${series.name}_sum`, 'sum'],
    [`${series.name}_count`, 'count'],
  ];
}

type Labels = Readonly<Record<string, string>>;

/** Whether a sample with these labels belongs to the series. */
export function appliesTo(series: MetricSeries, labels: Labels): boolean {
  if (series.label !== null && !/^\d+(?:\.\d+)?$/.test(labels[series.label] ?? '')) return false;
  return Object.entries(series.where).every(([label, wanted]) => {
    const value = labels[label];
    if (value === undefined) return false;
    return wanted.endsWith('*') ? value.startsWith(wanted.slice(0, -1)) : value === wanted;
  });
}

/** The counters that have not counted yet where a sample of this name is there, and none of their own. */
export function zeroesWith(name: string): readonly MetricId[] {
  return zeroes().get(name) ?? [];
}

const zeroes = fromTables(({ metrics }): ReadonlyMap<string, readonly MetricId[]> => {
  const byWitness = Map.groupBy(metrics, ({ zeroWith }) => zeroWith ?? '');
  return new Map([...byWitness].map(([name, rows]) => [name, [...new Set(rows.map(({ id }) => id))]]));
});

/** The figure of a sample: its value, or that of the label that bears it. */
export function figureIn(series: MetricSeries, labels: Labels, value: number): number {
  return series.label === null ? value : Number(labels[series.label]);
}
