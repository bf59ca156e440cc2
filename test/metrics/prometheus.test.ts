import { beforeEach, describe, expect, it } from 'vitest';
import type { MetricsTarget } from '../../src/app/ports.ts';
import { firstThatAnswers } from '../../src/metrics/metrics-sources.ts';
import { createPrometheusMetrics, type PrometheusOptions } from '../../src/metrics/prometheus-metrics.ts';
import { METRIC_IDS, type MetricId } from '../../src/model/metric-table.ts';
import { SeriesFile } from '../../src/model/snapshot.ts';
import {
  createPrometheusStandin,
  type PrometheusStandin,
  type StandinBehaviour,
  type StandinSeries,
} from '../../src/standins/prometheus/create-prometheus-standin.ts';
import { type PodScene, podSeries } from '../../src/standins/prometheus/pod-series.ts';
import { aMetricsTarget, metricsContract } from '../contracts/metrics.ts';
import { createFakeClock, START } from '../fakes/clock.ts';
import { aReadContext } from '../fakes/read-context.ts';
import { aPrometheus } from './harness.ts';

const MINUTE = 60_000;
const GIB = 1024 ** 3;
const SCENE: PodScene = {
  namespace: 'llm',
  pod: 'vllm-server-7d8f6f9c6b-4mnl2',
  container: 'vllm',
  node: 'gpu-node-1',
  until: START - 10_000,
};

let standin: PrometheusStandin | undefined;
beforeEach(() => {
  standin = undefined;
});

async function start(behaviour: Partial<StandinBehaviour> = {}): Promise<PrometheusStandin> {
  standin = await aPrometheus({ series: podSeries(SCENE), ...behaviour });
  return standin;
}

type Options = Omit<Partial<PrometheusOptions>, 'clock'>;
async function collect(options: Options = {}, target: MetricsTarget = aMetricsTarget(), context = aReadContext()) {
  const clock = createFakeClock(START + 30 * MINUTE);
  const source = createPrometheusMetrics({ baseUrl: standin?.url ?? '', clock, ...options });
  const evidence = await firstThatAnswers([source], clock).collect(target, context);
  const file = SeriesFile.parse(JSON.parse(evidence.files['series.json'] ?? ''));
  const of = (id: MetricId) => file.series.filter((series) => series.id === id);
  const why = (id: MetricId) => file.unknown.find(({ item }) => item === id);
  return { evidence, file, of, why, context, text: evidence.files['metrics.txt'] ?? '' };
}

const ofEngine = (name: string, points: StandinSeries['points'], labels: Record<string, string>): StandinSeries => ({
  labels: { __name__: name, namespace: 'llm', pod: SCENE.pod, ...labels },
  points,
});

metricsContract('Prometheus', async () => {
  const { url, close } = await createPrometheusStandin({ series: podSeries(SCENE) });
  const clock = createFakeClock(START);
  return { metrics: firstThatAnswers([createPrometheusMetrics({ baseUrl: url, clock })], clock), close };
});

describe('metrics of a pod that died', () => {
  it('are one series for each metric, in its own unit', async () => {
    await start();

    const { of, file } = await collect();

    const last = (id: MetricId) => of(id)[0]?.points.findLast(([at]) => at <= START)?.[1];
    expect(last('container.memory.working-set')).toBe(20 * GIB);
    expect(last('container.memory.limit')).toBe(64 * GIB);
    expect(last('gpu.framebuffer.used')).toBe(72_000 * 1024 ** 2);
    expect(last('gpu.utilization')).toBe(0.55);
    expect(last('gpu.temperature')).toBe(61);
    expect(last('kv-cache.used-share')).toBe(0.42);
    expect(last('requests.errors')).toBe(1);
    expect(last('requests.rejected')).toBe(3);
    expect(of('container.memory.limit')).toHaveLength(1);
    const labels = { gpu: '0', Hostname: 'gpu-node-1' };
    expect(of('gpu.framebuffer.used')[0]).toMatchObject({ unit: 'bytes', labels });
    expect(file).toMatchObject({ from: START - 60 * MINUTE, to: START + 2 * MINUTE, stepMs: 15_000 });
  });

  it('are also the last samples before the death, as Prometheus text with their times', async () => {
    await start();

    const { text } = await collect();

    const lines = text.split('\n');
    expect(lines).toContain(
      `container_memory_working_set_bytes{namespace="llm",pod="${SCENE.pod}",container="vllm"} ${20 * GIB} ${START}`,
    );
    expect(lines.filter((line) => line.startsWith('vllm:request_prompt_tokens_bucket'))).toHaveLength(3);
    expect(lines.find((line) => line.startsWith('DCGM_FI_DEV_FB_USED'))).toContain(' 72000 ');
    expect(text).not.toContain('nvidia_com_gpu');
  });

  it('say of every metric that is not there why', async () => {
    await start();

    const { file, evidence } = await collect();

    const sampled = ['prompt.tokens', 'generation.tokens', 'ttft', 'e2e.latency', 'queue.time'];
    const known = new Set([...file.series.map((series) => series.id), ...sampled]);
    expect(file.unknown.map(({ item }) => item)).toEqual(METRIC_IDS.filter((id) => !known.has(id)));
    expect(evidence.notRead).toEqual([
      expect.objectContaining({ item: 'metrics: gpu.framebuffer.total', reason: 'empty' }),
      expect.objectContaining({ item: 'metrics: prefix-cache.hit-share', reason: 'empty' }),
    ]);
  });

  it('hold the figures that stand in labels, in a line as it was exposed', async () => {
    const labels = {
      __name__: 'vllm:cache_config_info',
      ...{ namespace: 'llm', pod: SCENE.pod, job: 'vllm', block_size: '16', num_gpu_blocks: '7177', engine: '0' },
    };
    const { requests } = await start({ series: [...podSeries(SCENE), { labels, points: [[START - 10_000, 1]] }] });

    const { of, text } = await collect();

    expect(of('kv-cache.capacity-blocks')[0]?.points.at(-1)?.[1]).toBe(7177);
    expect(of('kv-cache.block-tokens')[0]?.points.at(-1)?.[1]).toBe(16);
    expect(text.split('\n').filter((line) => line.startsWith('vllm:cache_config_info'))).toEqual([
      expect.stringMatching(/num_gpu_blocks="7177".*\} 1 \d+$/),
    ]);
    expect(requests).toHaveLength(5);
  });

  it('are asked for in few calls, by the names and labels of the pod', async () => {
    const inCluster = podSeries(SCENE).map((one) => ({ ...one, labels: { ...one.labels, cluster: 'prod-eu' } }));
    const { requests } = await start({ series: inCluster });

    const { context } = await collect({ labels: { cluster: 'prod-eu' }, headers: { 'X-Scope-OrgID': 'team-a' } });

    expect(requests).toHaveLength(5);
    expect(context.budget.cost()).toMatchObject({ calls: 5 });
    expect(context.budget.cost().bytes).toBeGreaterThan(100);
    for (const { parameters, headers } of requests) {
      for (const one of (parameters.query ?? '').split(' or ')) expect(one).toContain('cluster="prod-eu"');
      expect(headers).toMatchObject({ 'x-scope-orgid': 'team-a', 'user-agent': 'oombot/test (by U_ONCALL)' });
    }
  });

  it('of another container of the pod are not taken for its own', async () => {
    const sidecar = podSeries({ ...SCENE, container: 'sidecar' }).filter(({ labels }) =>
      labels.__name__?.startsWith('container_'),
    );
    await start({ series: [...podSeries(SCENE), ...sidecar] });

    expect((await collect()).of('container.memory.working-set')).toHaveLength(1);
    expect((await collect({}, aMetricsTarget({ container: null }))).of('container.memory.working-set')).toHaveLength(2);
  });

  it('of two instances of a restarted container are one series', async () => {
    const life = (id: string, from: number, value: number): StandinSeries => {
      const points = [0, 15_000, 30_000].map((ms) => [from + ms, value] as const);
      return { ...ofEngine('container_memory_rss', points, { container: 'vllm', id }) };
    };
    await start({ series: [life('/old', START - 3 * MINUTE, 7), life('/new', START - MINUTE, 3)] });

    const { of } = await collect();

    expect(of('container.memory.rss')).toHaveLength(1);
    const values = of('container.memory.rss')[0]?.points.map(([, value]) => value);
    expect(values?.slice(0, 3)).toEqual([7, 7, 7]);
    expect(values?.slice(-6)).toEqual([3, 3, 3, 3, 3, 3]);
    expect(values?.join('')).toMatch(/^7+3+$/);
  });

  it('of two jobs that watch the same thing are one series, the higher of both', async () => {
    const job = (name: string, value: number) =>
      ofEngine('vllm:num_requests_running', [[START - 1000, value]], { job: name });
    await start({ series: [job('a', 4), job('b', 5), job('c', 3)] });

    const { of } = await collect();

    expect(of('requests.running')).toHaveLength(1);
    expect(of('requests.running')[0]?.points[0]?.[1]).toBe(5);
  });

  it('of the newest name stand alone where an engine shows old and new names', async () => {
    const names = ['vllm:gpu_prefix_cache_queries_total', 'vllm:prefix_cache_queries_total'];
    await start({ series: names.map((name) => ofEngine(name, [[START - 1000, 50]], { model_name: 'llama' })) });

    const { of, text } = await collect();

    expect(of('prefix-cache.queries')).toHaveLength(1);
    expect(text).not.toContain('gpu_prefix_cache');
  });

  it('count no errors where the engine has shown none', async () => {
    await start({ series: podSeries(SCENE).filter(({ labels }) => !labels.status?.startsWith('5')) });

    const { why } = await collect();

    expect(why('requests.errors')).toBeUndefined();
  });

  it('without a limit have no limit, rather than one of zero', async () => {
    const series = podSeries({ ...SCENE, values: { container_spec_memory_limit_bytes: [0, 0] } }).filter(
      ({ labels }) => labels.__name__ !== 'kube_pod_container_resource_limits',
    );
    await start({ series });

    const { of, why } = await collect();

    expect(of('container.memory.limit')).toEqual([]);
    expect(why('container.memory.limit')).toMatchObject({ reason: 'empty' });
  });
});

describe('GPUs that the exporter does not tie to a pod', () => {
  const gpu = (labels: Record<string, string>): StandinSeries => ({
    labels: { __name__: 'DCGM_FI_DEV_FB_USED', ...labels },
    points: [[START - 1000, 100]],
  });

  it.each(['Hostname', 'hostname'])('are found by the node under %s, without those of other pods', async (label) => {
    await start({
      series: [
        gpu({ [label]: 'gpu-node-1', gpu: '0', pod: '' }),
        gpu({ [label]: 'gpu-node-1', gpu: '1', exported_pod: 'other', exported_namespace: 'llm' }),
        gpu({ [label]: 'gpu-node-1', gpu: '2', pod: 'other', namespace: 'llm' }),
        gpu({ [label]: 'gpu-node-2', gpu: '3' }),
        gpu({ [label]: 'gpu-node-1', gpu: '4', pod: 'nvidia-dcgm-exporter-x7k2p', namespace: 'gpu-operator' }),
        gpu({ [label]: 'gpu-node-1', gpu: '5', exported_pod: SCENE.pod, exported_namespace: 'other' }),
      ],
    });

    const { of, context } = await collect();

    expect(of('gpu.framebuffer.used').map(({ labels }) => labels.gpu)).toEqual(['0', '4']);
    expect(context.budget.cost().calls).toBe(6);
  });

  it('are not looked for where the node is not known', async () => {
    const { requests } = await start({ series: [] });

    const { why } = await collect({}, aMetricsTarget({ node: null }));

    expect(why('gpu.framebuffer.used')).toMatchObject({ reason: 'empty' });
    expect(requests).toHaveLength(4);
  });
});

describe('time', () => {
  it.each([
    ['4 min before the death', START - 4 * MINUTE, undefined],
    ['6 min before the death', START - 6 * MINUTE - 30_000, 'stale'],
    ['2 hours before the death', START - 120 * MINUTE, 'empty'],
    ['after the death', START + MINUTE, 'empty'],
  ])('of the last sample %s', async (_name, until, reason) => {
    await start({ series: podSeries({ ...SCENE, until, values: { container_memory_rss: [5] } }) });

    const { why, text } = await collect();

    expect(why('container.memory.rss')?.reason).toBe(reason);
    expect(text.includes('container_memory_rss')).toBe(reason === undefined);
  });

  it('after the death is in the series, not in the last sample', async () => {
    const points = [-30_000, -15_000, 0, 15_000, 30_000].map((ms, i) => [START + ms, i] as const);
    await start({ series: [ofEngine('container_memory_rss', points, { container: 'vllm' })] });

    const { of, text } = await collect();

    expect(of('container.memory.rss')[0]?.points.at(-1)?.[1]).toBe(4);
    expect(text).toContain(` 2 ${START}\n`);
  });
});

describe('odd answers', () => {
  it('NaN and infinity are no values', async () => {
    const container_memory_rss = [Number.NaN, Number.POSITIVE_INFINITY];
    const values = { container_memory_rss, DCGM_FI_DEV_GPU_UTIL: [10, Number.NaN, 30] };
    await start({ series: podSeries({ ...SCENE, values }) });

    const { of, why, file } = await collect();

    expect(why('container.memory.rss')).toMatchObject({ reason: 'empty' });
    expect(new Set(of('gpu.utilization')[0]?.points.map(([, v]) => v))).toEqual(new Set([0.1, 0.3]));
    expect(JSON.stringify(file)).not.toContain('null');
  });

  it('warnings are passed on, and what came with them is kept', async () => {
    await start({ warnings: ['store gateway-1 did not answer'] });

    const { evidence, of } = await collect();

    expect(of('container.memory.rss')).toHaveLength(1);
    const detail = 'Prometheus warns: store gateway-1 did not answer';
    expect(evidence.notRead).toContainEqual({ item: 'metrics of the gpu', reason: 'failed', detail });
  });

  it.each([
    ['503', { status: 503, body: 'upstream down' }, 'unreachable'],
    ['401', { status: 401 }, 'forbidden'],
    ['302 to a login page', { status: 302 }, 'failed'],
    ['404', { status: 404 }, 'failed'],
    ['a page', { body: '<html>Sign in</html>', type: 'text/html' }, 'failed'],
    ['half of an answer', { body: '{"status":"success","data":{"resultType":"matrix","resu' }, 'failed'],
    ['bad data', { status: 400, body: '{"status":"error","errorType":"bad_data","error":"too many"}' }, 'failed'],
    ['a slow query', { status: 503, body: '{"status":"error","errorType":"timeout","error":"slow"}' }, 'deadline'],
    ['a cut connection', { drop: true }, 'unreachable'],
  ])('%s makes every metric unknown with the reason', async (_name, answer, reason) => {
    await start({ answer: () => answer });

    const { evidence, file, context } = await collect();

    expect(evidence.notRead).toEqual([{ item: 'metrics', reason, detail: expect.stringMatching(/\w/) }]);
    expect(file.unknown.map(({ item }) => item)).toEqual(METRIC_IDS);
    expect(evidence.files['metrics.txt']).toBeUndefined();
    expect(context.progressed.at(-1)).toMatchObject({ status: 'failed' });
  });

  it('one question that fails leaves the others standing', async () => {
    await start({ answer: ({ parameters }) => (parameters.query?.includes('DCGM') ? { status: 500 } : undefined) });

    const { why, of } = await collect();

    expect(why('gpu.framebuffer.used')).toMatchObject({ reason: 'unreachable', detail: 'Prometheus answered 500' });
    expect(of('container.memory.rss')).toHaveLength(1);
  });

  it('an answer beyond the bytes left is not read to its end', async () => {
    await start({ answer: () => ({ body: Buffer.alloc(300_000, 0x20) }) });

    const { evidence, context } = await collect({}, aMetricsTarget(), aReadContext({ limits: { bytes: 1000 } }));

    expect(evidence.notRead).toEqual([expect.objectContaining({ item: 'metrics', reason: 'budget' })]);
    expect(context.budget.cost().bytes).toBeLessThanOrEqual(4000);
  });

  it('an answer that does not come ends at the time limit', async () => {
    await start({ delayMs: 60_000 });

    const { evidence } = await collect({ timeoutMs: 40 });

    expect(evidence.notRead).toEqual([expect.objectContaining({ item: 'metrics', reason: 'deadline' })]);
  });

  it('a budget that ends half way is told for the rest', async () => {
    await start();

    const { file } = await collect({}, aMetricsTarget(), aReadContext({ limits: { calls: 2 } }));

    expect(new Set(file.unknown.map(({ reason }) => reason))).toEqual(new Set(['budget', 'empty']));
    expect(file.series.length).toBeGreaterThan(0);
  });
});

describe('names from a cluster', () => {
  it.each(['"} or {__name__=~".+', 'a\\', 'a"b\\"c', 'line\nbreak', '\u2028', '{}[]|.*', '😀', '\ud800'])(
    'stay inside their quotes: %j',
    async (pod) => {
      const { requests } = await start({ series: podSeries({ ...SCENE, pod: 'other' }) });

      const { file, evidence } = await collect({}, aMetricsTarget({ pod, node: pod, container: pod, namespace: pod }));

      expect(file.series).toEqual([]);
      expect(evidence.notRead.map(({ reason }) => reason)).toEqual(Array(4).fill('empty'));
      expect(requests.length).toBe(6);
    },
  );

  it('cannot break a line of metrics.txt', async () => {
    const evil = 'x"} 1\ny{a="\\';
    const labels = { container: 'vllm', note: evil };
    await start({ series: [ofEngine('container_memory_rss', [[START - 1000, 2]], labels)] });

    const { text } = await collect();

    expect(text.trimEnd().split('\n')).toHaveLength(1);
    expect(text).toContain('note="x\\"} 1\\ny{a=\\"\\\\"');
  });
});
