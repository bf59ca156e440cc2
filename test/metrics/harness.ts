import { onTestFinished } from 'vitest';
import {
  createPrometheusStandin,
  type StandinBehaviour,
} from '../../src/standins/prometheus/create-prometheus-standin.ts';

/** A Prometheus that ends with the test. */
export async function aPrometheus(
  behaviour: Partial<StandinBehaviour> = {},
  options: Parameters<typeof createPrometheusStandin>[1] = {},
) {
  const standin = await createPrometheusStandin({ series: [], ...behaviour }, options);
  onTestFinished(() => standin.close());
  return standin;
}
