import type { LoadAsk, LoadReading, LoadReadings } from '../app/pressure-ports.ts';
import { type MetricId, metricMeaning } from '../model/metric.ts';
import { seriesNames } from '../model/metric-table.ts';
import { sortByPod } from './known-series.ts';
import type { RawSeries } from './prometheus-answer.ts';
import { createPrometheusClient } from './prometheus-client.ts';
import type { PrometheusOptions } from './prometheus-metrics.ts';
import { lastWithin, type Matchers, podPlaces, selector, union } from './promql.ts';

type Value = Exclude<keyof LoadReading, 'at'>;

const IDS: Readonly<Record<Value, MetricId>> = {
  kvUsed: 'kv-cache.used-share',
  running: 'requests.running',
  waiting: 'requests.waiting',
  preemptions: 'preemptions',
  tokens: 'generation.token-count',
  finished: 'requests.success',
  oomKills: 'container.oom-events',
  restarts: 'container.restarts',
};
const VALUES = Object.keys(IDS) as readonly Value[];
// Longer than most scrape intervals, shorter than the time between two readings.
const LOOKBACK_S = 90;

/** How busy pods were lately out of a Prometheus: one call, however many pods there are. Never throws. */
export function createLoadReadings(options: PrometheusOptions): LoadReadings {
  const client = createPrometheusClient(options);
  return {
    async read(ask, context) {
      const query = expressionOf(ask, options.labels ?? {});
      const answer = await client.ask('query_range', { query, ...gridOf(ask.at) }, context);
      if (answer.kind === 'none') return { kind: 'unknown', why: answer.detail };
      return { kind: 'read', pods: readingsIn(answer.series, ask.at) };
    },
  };
}

function expressionOf({ namespace, pods }: LoadAsk, extra: Matchers): string {
  const names = [...new Set(VALUES.flatMap((value) => seriesNames(IDS[value])))];
  return union(podPlaces(namespace, pods, extra).map((place) => lastWithin(selector(names, place), LOOKBACK_S)));
}

function gridOf(at: LoadAsk['at']): { start: string; end: string; step: string } {
  const [first = 0, second = first + 60_000] = at;
  const seconds = (ms: number) => (ms / 1000).toFixed(3);
  return { start: seconds(first), end: seconds(at.at(-1) ?? first), step: seconds(second - first) };
}

function readingsIn(series: readonly RawSeries[], at: LoadAsk['at']): ReadonlyMap<string, readonly LoadReading[]> {
  const byPod = Map.groupBy(series, ({ labels }) => labels.exported_pod ?? labels.pod ?? '');
  return new Map([...byPod].map(([pod, own]) => [pod, readingsOf(own, at)]));
}

function readingsOf(series: readonly RawSeries[], at: LoadAsk['at']): readonly LoadReading[] {
  const sorted = sortByPod(series);
  return at.map((moment) => {
    const read = (value: Value): number | undefined => {
      const samples = (sorted.get(IDS[value]) ?? []).flatMap(({ known, points }) => {
        const point = points.find(([time]) => Math.abs(time - moment) < 1000);
        return point === undefined ? [] : [point[1] * known.series.factor];
      });
      if (samples.length === 0) return undefined;
      const isSum = metricMeaning(IDS[value]).combine === 'sum';
      return isSum ? samples.reduce((sum, one) => sum + one, 0) : Math.max(...samples);
    };
    const values = Object.fromEntries(VALUES.map((value) => [value, read(value)]));
    return { at: moment, ...(values as Record<Value, number | undefined>) };
  });
}
