import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MetricsTarget } from '../../src/app/ports.ts';
import { firstThatAnswers } from '../../src/metrics/metrics-sources.ts';
import { createPrometheusMetrics } from '../../src/metrics/prometheus-metrics.ts';
import { SeriesFile } from '../../src/model/snapshot.ts';
import {
  createPrometheusStandin,
  type StandinSeries,
} from '../../src/standins/prometheus/create-prometheus-standin.ts';
import { podSeries } from '../../src/standins/prometheus/pod-series.ts';
import { aMetricsTarget, metricsContract } from '../contracts/metrics.ts';
import { createFakeClock, START } from '../fakes/clock.ts';
import { aReadContext } from '../fakes/read-context.ts';
import { missingPrograms, type RealServer, startPrometheusWith } from './real-server.ts';

const EVIL = 'a"b\\c} or {x="';
const scene = {
  namespace: 'llm',
  pod: aMetricsTarget().pod,
  container: 'vllm',
  node: 'gpu-node-1',
  until: START - 10_000,
};
// Off the grid of 15 s: whether a range holds its left end differs between Prometheus 2 and 3.
const SERIES: readonly StandinSeries[] = [
  ...podSeries({
    ...scene,
    values: { container_memory_working_set_bytes: Array.from({ length: 200 }, (_, i) => 1e9 + i * 1e7) },
  }),
  ...podSeries({ ...scene, pod: EVIL, node: 'gpu-node-3' }),
  ...podSeries({ ...scene, pod: 'long-dead', node: 'gpu-node-4', until: START - 4 * 60_000 - 7000 }),
  {
    labels: { __name__: 'DCGM_FI_DEV_FB_USED', Hostname: 'gpu-node-2', gpu: '7' },
    points: [[START - 20_000, 4000]],
  },
];

describe.skipIf(missingPrograms().length > 0)('a real Prometheus', () => {
  let server: RealServer | undefined;
  let url = '';

  beforeAll(async () => {
    server = await startPrometheusWith(SERIES);
    url = server.url;
  }, 60_000);

  afterAll(async () => {
    await server?.close();
  });

  const collect = async (baseUrl: string, target: MetricsTarget) => {
    const clock = createFakeClock();
    const metrics = firstThatAnswers([createPrometheusMetrics({ baseUrl, clock })], clock);
    const { files, notRead } = await metrics.collect(target, aReadContext());
    const { series, unknown } = SeriesFile.parse(JSON.parse(files['series.json'] ?? ''));
    const known = series
      .map(({ query: _query, ...one }) => one)
      .toSorted((a, b) => (JSON.stringify([a.id, a.labels]) < JSON.stringify([b.id, b.labels]) ? -1 : 1));
    return { known, unknown, notRead, lines: (files['metrics.txt'] ?? '').split('\n').toSorted() };
  };

  metricsContract('real', async () => ({
    metrics: firstThatAnswers([createPrometheusMetrics({ baseUrl: url, clock: createFakeClock() })], createFakeClock()),
    close: async () => {},
  }));

  it.each<[string, Partial<MetricsTarget>]>([
    ['a pod that died', {}],
    ['a pod whose name tries to leave its quotes', { pod: EVIL }],
    ['a pod whose samples end before the death', { pod: 'long-dead' }],
    ['a pod that nobody knows', { pod: 'none', node: null }],
    ['a GPU that only the node names', { pod: 'none', node: 'gpu-node-2' }],
  ])('gives of %s what the stand-in gives', async (_name, over) => {
    const standin = await createPrometheusStandin({ series: SERIES });
    const target = aMetricsTarget(over);

    const [real, double] = [await collect(url, target), await collect(standin.url, target)];
    await standin.close();

    expect(real.known.length > 0).toBe(over.pod !== 'none' || over.node !== null);
    expect(sorted(real)).toEqual(sorted(double));
  });

  // Label order is that of the server.
  function sorted(evidence: Awaited<ReturnType<typeof collect>>) {
    return {
      ...evidence,
      known: evidence.known.map((one) => ({ ...one, labels: Object.fromEntries(Object.entries(one.labels).sort()) })),
      lines: evidence.lines.map((line) => [...line].sort().join('')).toSorted(),
    };
  }
});
