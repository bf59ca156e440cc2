import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { figuresOf } from '../../src/actions/pod-figures.ts';
import { learn } from '../../src/app/acting/plan/plan-knowledge.ts';
import { type PastAsk, readPast } from '../../src/app/acting/verify/read-history.ts';
import { createEngineHistory } from '../../src/metrics/engine-history.ts';
import { firstThatAnswers } from '../../src/metrics/metrics-sources.ts';
import { createPodGauges } from '../../src/metrics/pod-gauges.ts';
import { createPrometheusMetrics } from '../../src/metrics/prometheus-metrics.ts';
import { SeriesFile } from '../../src/model/snapshot.ts';
import { aMetricsTarget } from '../contracts/metrics.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { aReadContext } from '../fakes/read-context.ts';
import { exampleCapture, exampleDiagnosis } from '../model/examples.ts';
import { examplePlan } from '../model/plan-examples.ts';
import { missingPrograms, type RealServer, startPrometheus, until } from './real-server.ts';
import {
  type Engine,
  type Engines,
  type Line,
  STEP_MS,
  STEPS,
  serveEngines,
  sglangPage,
  tgiPage,
  vllmPage,
} from './scraped-engines.ts';

const END = Math.floor(Date.now() / 1000) * 1000;
const BEGIN = END - STEPS * STEP_MS;
const GIB = 1024 ** 3;
// Off the grid of the history, so that what falls between two points is not seen by chance.
const RESTART = 61;
const BIRTH = 50;

const pod = (name: string, over: Record<string, string> = {}) => {
  return { cluster: 'prod', namespace: 'llm', pod: name, container: 'vllm', ...over };
};
const afterRestart = (step: number) => (step < RESTART ? step : step - RESTART);

const cadvisor: readonly Line[] = [
  { name: 'container_memory_working_set_bytes', value: 40 * GIB },
  { name: 'container_spec_memory_limit_bytes', value: 64 * GIB },
].map((line) => ({ ...line, labels: { namespace: 'llm', pod: 'vllm-0', container: 'vllm', id: '/kubepods/a' } }));
const dcgm: readonly Line[] = [
  { name: 'DCGM_FI_DEV_FB_USED', value: 72_000 },
  { name: 'DCGM_FI_DEV_FB_FREE', value: 8000 },
].map((line) => ({ ...line, labels: { namespace: 'llm', pod: 'vllm-0', container: 'vllm', gpu: '0', UUID: 'GPU-0' } }));

const ENGINES: readonly Engine[] = [
  { path: 'vllm-0', labels: pod('vllm-0'), page: (step) => vllmPage(afterRestart(step)) },
  { path: 'vllm-1', labels: pod('vllm-1'), page: (step) => vllmPage(step) },
  { path: 'other-cluster', labels: pod('vllm-0', { cluster: 'dev' }), page: (step) => vllmPage(step, 1000) },
  { path: 'other-namespace', labels: pod('vllm-0', { namespace: 'x' }), page: (step) => vllmPage(step, 1000) },
  { path: 'other-pod', labels: pod('vllm-00'), page: (step) => vllmPage(step, 1000) },
  // A StatefulSet gives the name of the pod that went to the one that comes.
  { path: 'born-old', labels: pod('born-0'), page: (step) => (step < BIRTH - 6 ? vllmPage(step + 500) : undefined) },
  { path: 'born-new', labels: pod('born-0'), page: (step) => (step < BIRTH ? undefined : vllmPage(step - BIRTH)) },
  { path: 'gone', labels: pod('gone-0'), page: (step) => (step < STEPS - 20 ? vllmPage(step) : undefined) },
  { path: 'sglang', labels: pod('sgl-0', { container: 'sglang' }), page: (step) => sglangPage(afterRestart(step)) },
  { path: 'tgi', labels: pod('tgi-0', { container: 'tgi' }), page: (step) => tgiPage(afterRestart(step)) },
  { path: 'cadvisor', labels: { cluster: 'prod', node: 'n' }, page: () => cadvisor },
  // Its own pod stands in `pod`, so that Prometheus moves the workload's to exported_pod.
  { path: 'dcgm', labels: { cluster: 'prod', namespace: 'gpu-operator', pod: 'dcgm-exporter-x' }, page: () => dcgm },
];

describe.skipIf(missingPrograms().length > 0)('engines that a real Prometheus scrapes', () => {
  let server: RealServer;
  let engines: Engines;
  let url = '';

  beforeAll(async () => {
    engines = await serveEngines(ENGINES, END);
    server = await startPrometheus(engines.config);
    url = server.url;
    await until('all pages were scraped', async () => engines.done());
  }, 90_000);

  afterAll(async () => {
    await server?.close();
    await engines?.close();
  });

  const labels = { cluster: 'prod' };
  const born = (name: string, createdAt = BEGIN - 60_000): PastAsk['pods'][number] => {
    return { name, ip: null, ports: [], createdAt, startedAt: createdAt };
  };
  const past = (names: readonly string[], over: Partial<PastAsk> = {}, options: object = { labels }) =>
    readPast(
      createEngineHistory({ baseUrl: url, clock: createFakeClock(), ...options }),
      {
        cluster: 'prod',
        namespace: 'llm',
        pods: names.map((name) => born(name)),
        from: BEGIN,
        to: END,
        mustLast: true,
        shortTokens: 1000,
        ...over,
      },
      aReadContext(),
    );
  const query = async (expression: string): Promise<number> => {
    const form = new URLSearchParams({ query: expression, time: String(END / 1000) });
    const answer = await (await fetch(`${url}/api/v1/query?${form}`)).json();
    return Number((answer as { data: { result: { value: [number, string] }[] } }).data.result[0]?.value[1]);
  };

  it.each([
    ['vLLM', 'vllm-1', 'vllm-1', STEPS * 10],
    ['vLLM over a restart', 'vllm-0', 'vllm-0', STEPS * 10],
    ['SGLang over a restart', 'sgl-0', 'sgl-0', STEPS * 10],
  ])('counts the requests of %s, and agrees with Prometheus on them', async (_, name, __, requests) => {
    const { times } = await past([name]);

    // What was counted between the last point and the restart is lost, to both: at most one step of the grid.
    expect(times.ttftP99).toMatchObject({ kind: 'known', ms: expect.closeTo(4600, -1), atLeast: false, lacks: null });
    const counted = times.ttftP99.kind === 'known' ? times.ttftP99.requests : 0;
    expect(Math.abs(counted - requests)).toBeLessThanOrEqual(20);
    const series = `{__name__=~".+:time_to_first_token_seconds_bucket",cluster="prod",namespace="llm",pod="${name}"}`;
    const own = await query(
      `histogram_quantile(0.99, sum by (le) (increase(${series}[${(STEPS * STEP_MS) / 1000}s])))`,
    );
    expect(own * 1000).toBeCloseTo(4600, -2);
  });

  it('adds pods up, and takes none of another cluster, namespace or name', async () => {
    const { times, preemptions } = await past(['vllm-0', 'vllm-1']);
    const all = await past(['vllm-0', 'vllm-1'], {}, {});

    const counted = times.latencyP99.kind === 'known' ? times.latencyP99.requests : 0;
    expect(Math.abs(counted - 2 * STEPS * 10)).toBeLessThanOrEqual(20);
    expect(preemptions).toMatchObject({ kind: 'known' });
    expect(Math.abs((preemptions.kind === 'known' ? preemptions.value : 0) - 2 * STEPS)).toBeLessThanOrEqual(2);
    expect(all.times.latencyP99.kind === 'known' && all.times.latencyP99.requests > 90 * 1000).toBe(true);
  });

  it('counts of a pod that bears the name of an earlier one what is its own', async () => {
    const createdAt = BEGIN + BIRTH * STEP_MS - 20_000;
    const pods = [born('born-0', createdAt)];

    const { times } = await past([], { pods, from: createdAt - 5000 });

    expect(times.ttftP99).toMatchObject({ kind: 'known', requests: (STEPS - BIRTH) * 10 });
  });

  it('tells how often the engine of one pod began anew', async () => {
    const names = ['vllm-1', 'vllm-0', 'born-0', 'sgl-0', 'tgi-0', 'gone-0'];
    const pasts = await Promise.all(names.map((name) => past([name], { mustLast: false })));

    expect(pasts.map(({ restarts }) => restarts)).toEqual([0, 1, 1, 1, 1, 0]);
    expect((await past(names, { mustLast: false })).restarts).toBe(1);
  });

  it('does not take a series that has ended for one that is well', async () => {
    const { times } = await past(['gone-0']);

    expect(times.ttftP99).toEqual({ kind: 'unknown', why: expect.stringMatching(/its last sample is \d+ min old/) });
    expect((await past(['gone-0'], { mustLast: false })).times.ttftP99.kind).toBe('known');
    expect((await past(['gone-0', 'vllm-1'])).times.ttftP99).toMatchObject({ kind: 'known', lacks: 'gone-0' });
  });

  it('bounds the wait of short requests where lengths are counted', async () => {
    const [vllm, tgi, sglang] = await Promise.all([past(['vllm-1']), past(['tgi-0']), past(['sgl-0'])]);

    for (const { times } of [vllm, tgi]) {
      expect(times.shortWait).toMatchObject({ kind: 'known', share: expect.closeTo(0.8, 2) });
    }
    expect(sglang.times.shortWait).toEqual({
      kind: 'unknown',
      why: 'prompt lengths: Prometheus has no such series for these pods',
    });
  });

  it('cannot tell the first token of TGI, and says so, but its latency', async () => {
    const { times, preemptions } = await past(['tgi-0']);

    const none = { kind: 'unknown', why: 'Prometheus has no such series for these pods' };
    expect([times.ttftP99, preemptions]).toEqual([none, none]);
    expect(times.latencyP99).toMatchObject({ kind: 'known', ms: expect.closeTo(4600, -1) });
  });

  it('tells which share of the last hour a shorter length would refuse', async () => {
    const history = createEngineHistory({ baseUrl: url, clock: createFakeClock(), labels });
    const pods = ['vllm-0', 'vllm-1'].map((name) => ({
      ...{ ...born(name), uid: name, ready: true, terminating: false, scheduled: true },
      ...{ restarts: 0, lastDeath: null, why: null },
    }));
    const { cluster } = examplePlan.target;
    const known = await learn(
      { history: new Map([[cluster, history]]), clock: { ...createFakeClock(), now: () => END } },
      {
        target: { ...examplePlan.target, object: { ...examplePlan.target.object, namespace: 'llm' } },
        finding: {
          diagnosis: exampleDiagnosis,
          facts: new Map([['engine.name', { kind: 'known', value: 'vllm', from: [] }]]),
          capture: exampleCapture,
          series: undefined,
        },
        pods,
        engine: undefined,
        edits: [{ flag: '--max-model-len', from: '8192', to: '1000', why: 'w', facts: [] }],
        context: { signal: new AbortController().signal, agent: 'test' },
      },
    );

    expect(known.requests).toMatch(/1,000 tokens.*\b20%/);
  });

  it('shows how full pods are by every exporter', async () => {
    const pods = ['vllm-0', 'vllm-1', 'sgl-0', 'tgi-0', 'gone-0'].map((name) => ({ name, ip: null, ports: [] }));
    const ask = { cluster: 'prod', namespace: 'llm', pods, to: END };
    const context = aReadContext();

    const read = await createPodGauges({ baseUrl: url, clock: createFakeClock(), labels }).read(ask, context);

    expect(context.budget.cost().calls).toBe(3);
    expect(figuresOf(read, null).toSorted((a, b) => (a.pod < b.pod ? -1 : 1))).toEqual([
      { pod: 'sgl-0', kvShare: 0.6, waiting: 2, running: 5 },
      { pod: 'tgi-0', waiting: 0, running: 4 },
      { pod: 'vllm-0', ramShare: 0.625, gpuFreeShare: expect.closeTo(0.1), kvShare: 0.42, waiting: 1, running: 3 },
      { pod: 'vllm-1', kvShare: 0.42, waiting: 1, running: 3 },
    ]);
  });

  it.each([
    ['vllm-0', 'vllm', ['kv-cache.used-share', 'requests.running', 'preemptions', 'container.memory.limit'], []],
    ['sgl-0', 'sglang', ['kv-cache.used-share', 'requests.waiting'], ['container.memory.limit']],
    ['tgi-0', 'tgi', ['requests.running', 'requests.waiting'], ['kv-cache.used-share', 'preemptions', 'ttft']],
    ['nobody', 'vllm', [], ['requests.running', 'gpu.framebuffer.used', 'ttft']],
  ])('gives a triage of %s what is there, and the reason for what is not', async (name, container, there, lacking) => {
    const clock = { ...createFakeClock(), now: () => END };
    const target = aMetricsTarget({ pod: name, container, diedAt: null, node: null });

    const source = createPrometheusMetrics({ baseUrl: url, labels, clock });
    const { files } = await firstThatAnswers([source], clock).collect(target, aReadContext());

    const { series, unknown } = SeriesFile.parse(JSON.parse(files['series.json'] ?? ''));
    expect(series.map(({ id }) => id)).toEqual(expect.arrayContaining(there));
    const why = new Map(unknown.map(({ item, reason }) => [item, reason]));
    expect(lacking.map((id) => why.get(id))).toEqual(lacking.map(() => 'empty'));
    expect(there.filter((id) => why.has(id))).toEqual([]);
  });
});
