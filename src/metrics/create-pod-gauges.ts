import type { HistoryAsk, PodGauges } from '../app/acting-ports.ts';
import type { GaugeRead } from '../model/gauges.ts';
import type { PrometheusOptions } from './create-prometheus-metrics.ts';
import { createPrometheusClient } from './prometheus-client.ts';
import { lastWithin, type Matchers, podPlaces, selector, union } from './promql.ts';
import { type GaugeGroup, gaugeNames, gaugesIn } from './read-gauges.ts';

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
