import { describe, expect, it } from 'vitest';
import type { HistoryAsk, PodGauges } from '../../src/app/acting-ports.ts';
import { createPodGauges } from '../../src/metrics/pod-gauges.ts';
import { firstGauges, scrapePodGauges } from '../../src/metrics/scrape-engine-history.ts';
import type { GaugeRead } from '../../src/model/gauges.ts';
import { podSeries } from '../../src/standins/prometheus/pod-series.ts';
import { createFakeClock, START } from '../fakes/clock.ts';
import { listen } from '../fakes/http-server.ts';
import { aReadContext } from '../fakes/read-context.ts';
import { aPrometheus } from './harness.ts';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const places = (...names: readonly string[]): HistoryAsk['pods'] =>
  names.map((name) => ({ name, ip: null, ports: [] }));
const scene = (pod: string) => ({ namespace: 'llm', pod, container: 'vllm', node: 'n', until: START - 10_000 });

const seriesOf = (pods: readonly string[], over: { until?: number } = {}) =>
  pods.flatMap((pod) => podSeries({ ...scene(pod), ...over }));
const gauges = ({ url }: { readonly url: string }) => createPodGauges({ baseUrl: url, clock: createFakeClock() });

const ask = (source: PodGauges, pods: HistoryAsk['pods']) =>
  source.read({ cluster: 'prod', namespace: 'llm', pods, to: START }, aReadContext());
const valuesOf = (read: GaugeRead, id: string) =>
  read.kind === 'read' ? read.samples.filter((one) => one.id === id).map(({ pod, value }) => [pod, value]) : read.why;

describe('how full pods are, out of Prometheus', () => {
  it('costs three calls, however many pods there are', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `vllm-${i}`);
    const prometheus = await aPrometheus({ series: seriesOf([...names, 'vllm-400']) });

    const found = await ask(gauges(prometheus), places(...names));

    expect(prometheus.requests).toHaveLength(3);
    expect(valuesOf(found.container, 'container.memory.limit')).toHaveLength(40);
    expect(valuesOf(found.gpu, 'gpu.framebuffer.used')).toHaveLength(40);
    expect(valuesOf(found.engine, 'requests.running')).toHaveLength(40);
  });

  it('is in the units of the metric table, by container, GPU and process', async () => {
    const prometheus = await aPrometheus({ series: seriesOf(['vllm-0']) });

    const { container, gpu, engine } = await ask(gauges(prometheus), places('vllm-0'));

    const samples = (part: string, ...values: number[]) => ({ samples: values.map((value) => ({ part, value })) });
    expect(container).toMatchObject(samples('vllm', 20 * GIB, 64 * GIB));
    expect(gpu).toMatchObject(samples('GPU-0', 72_000 * MIB, 8000 * MIB));
    expect(valuesOf(engine, 'kv-cache.used-share')).toEqual([['vllm-0', 0.42]]);
  });

  it('is told of each pod by the names of its own version', async () => {
    const old = { __name__: 'vllm:gpu_cache_usage_perc', namespace: 'llm', pod: 'vllm-old', instance: 'b' };
    const points = [[START - 10_000, 0.9]] as const;
    const series = [...podSeries(scene('vllm-0')), { labels: old, points }];
    const prometheus = await aPrometheus({ series });

    const { engine } = await ask(gauges(prometheus), places('vllm-0', 'vllm-old'));

    expect(valuesOf(engine, 'kv-cache.used-share')).toEqual([
      ['vllm-0', 0.42],
      ['vllm-old', 0.9],
    ]);
  });

  it('is not what was a while ago', async () => {
    const prometheus = await aPrometheus({ series: seriesOf(['vllm-0'], { until: START - 3 * 60_000 }) });

    const found = await ask(gauges(prometheus), places('vllm-0'));

    expect(found.engine).toEqual({ kind: 'unknown', why: 'Prometheus has no such series for these pods' });
  });

  it('cannot be told where it does not answer, nor without any source', async () => {
    const prometheus = await aPrometheus({ answer: () => ({ status: 503, body: '' }) });

    const found = await ask(gauges(prometheus), places('vllm-0'));

    expect(Object.values(found)).toEqual(Array(3).fill({ kind: 'unknown', why: 'Prometheus answered 503' }));
    expect((await ask(firstGauges([]), places('a'))).gpu.kind).toBe('unknown');
  });
});

const anEngine = (running: number) =>
  listen((_, response) =>
    response.end(`vllm:num_requests_running{engine="0"} ${running}\nvllm:num_requests_waiting{engine="0"} 0\n`),
  );
const scrape = () => scrapePodGauges({ clock: createFakeClock(), podIP: true });
const at = async (name: string, running: number) => ({ name, ip: '127.0.0.1', ports: [await anEngine(running)] });

it('how full engines are, off their own pages fills the pods that Prometheus does not know, and takes what it knows', async () => {
  const prometheus = await aPrometheus({ series: seriesOf(['vllm-0']) });
  const both = firstGauges([gauges(prometheus), scrape()]);

  const { engine, gpu } = await ask(both, [await at('vllm-0', 9), await at('vllm-1', 7)]);

  expect(valuesOf(engine, 'requests.running')).toEqual([
    ['vllm-0', 4],
    ['vllm-1', 7],
  ]);
  expect(gpu.kind).toBe('read');
});
