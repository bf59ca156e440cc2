import type { HistoryAsk, PodGauges } from '../app/acting-ports.ts';
import { GAUGE_IDS, type GaugeId, type GaugeRead, type GaugeSample, type GaugesRead } from '../model/gauges.ts';
import { seriesOf } from '../model/metric-table.ts';
import { type SortedSeries, sortByPod } from './known-series.ts';
import type { RawSeries } from './prometheus-answer.ts';
import { createPrometheusClient } from './prometheus-client.ts';
import type { PrometheusOptions } from './prometheus-metrics.ts';
import { groupOf } from './prometheus-queries.ts';
import { lastWithin, type Matchers, podPlaces, selector, union } from './promql.ts';

// Longer than most scrape intervals, short enough that a pod that is gone is not read as there.
const LOOKBACK_S = 90;

/** How full pods are now out of a Prometheus: three calls, however many pods there are. Never throws. */
export function createPodGauges(options: PrometheusOptions): PodGauges {
  const client = createPrometheusClient(options);
  return {
    async read(ask, context) {
      const read = async (group: GaugeGroup): Promise<GaugeRead> => {
        const query = expressionOf(ask, group, options.labels ?? {});
        const answer = await client.ask('query', { query, time: (ask.to / 1000).toFixed(3) }, context);
        return answer.kind === 'none'
          ? { kind: 'unknown', why: answer.detail }
          : gaugesIn(answer.series, group, 'Prometheus');
      };
      const [container, gpu, engine] = await Promise.all([read('container'), read('gpu'), read('engine')]);
      return { container, gpu, engine };
    },
  };
}

function expressionOf({ namespace, pods }: Omit<HistoryAsk, 'from'>, group: GaugeGroup, extra: Matchers): string {
  return union(
    podPlaces(namespace, pods, extra).map((place) => lastWithin(selector(gaugeNames(group), place), LOOKBACK_S)),
  );
}

export type GaugeGroup = keyof GaugesRead;

/** All groups from one function. */
export function readEachGroup(read: (group: GaugeGroup) => GaugeRead): GaugesRead {
  return { container: read('container'), gpu: read('gpu'), engine: read('engine') };
}

/** What is asked for of a group. */
export function gaugesOfGroup(group: GaugeGroup): readonly GaugeId[] {
  return GAUGE_IDS.filter((id) => groupOf(id) === group);
}

/** Names under which the gauges of a group are exposed. */
export function gaugeNames(group: GaugeGroup): readonly string[] {
  const names = gaugesOfGroup(group).flatMap((id) => seriesOf(id).map(({ name }) => name));
  return [...new Set(names.flatMap((name) => [name, name.replace(':', '_')]))];
}

/** The last samples of a group; `whose` is told where there are none. */
export function gaugesIn(series: readonly RawSeries[], group: GaugeGroup, whose: string): GaugeRead {
  const sorted = sortByPod(series);
  const samples = gaugesOfGroup(group).flatMap((id) => (sorted.get(id) ?? []).flatMap((one) => sampleOf(id, one)));
  if (samples.length > 0) return { kind: 'read', samples };
  return { kind: 'unknown', why: `${whose} has no such series for these pods` };
}

function sampleOf(id: GaugeId, { known, labels, points }: SortedSeries): GaugeSample[] {
  const pod = labels.exported_pod ?? labels.pod;
  const value = points.at(-1)?.[1];
  if (pod === undefined || value === undefined || !Number.isFinite(value)) return [];
  return [{ pod, id, part: partOf(id, labels), value: value * known.series.factor }];
}

// Two samples with one part are about the same thing: used and free of a GPU, working set and limit of a container.
function partOf(id: GaugeId, labels: SortedSeries['labels']): string {
  const group = groupOf(id);
  if (group === 'container') return labels.exported_container ?? labels.container ?? '';
  if (group === 'gpu') return labels.UUID ?? labels.gpu_uuid ?? labels.gpu ?? labels.device ?? '';
  const { pod: _pod, exported_pod: _exported, ...rest } = labels;
  return JSON.stringify(Object.entries(rest).sort());
}
