import { describe, expect, it } from 'vitest';
import type { MetricsTarget } from '../../src/app/ports.ts';
import { createEngineScrape, type EngineScrapeOptions, type ViaProxy } from '../../src/metrics/engine-scrape.ts';
import { firstThatAnswers } from '../../src/metrics/metrics-sources.ts';
import { createPrometheusMetrics } from '../../src/metrics/prometheus-metrics.ts';
import { METRIC_IDS } from '../../src/model/metric-table.ts';
import { SeriesFile } from '../../src/model/snapshot.ts';
import { podSeries } from '../../src/standins/prometheus/pod-series.ts';
import { aMetricsTarget } from '../contracts/metrics.ts';
import { createFakeClock, START } from '../fakes/clock.ts';
import { deadPort, listen } from '../fakes/http-server.ts';
import { aReadContext } from '../fakes/read-context.ts';
import { aPrometheus } from './harness.ts';

// As vLLM 0.11 prints it, shortened.
const EXPOSITION = `# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="llama \\"8B\\""} 4.0
vllm:kv_cache_usage_perc{engine="0",model_name="llama"} 0.97
vllm:gpu_cache_usage_perc{engine="0",model_name="llama"} 0.97
vllm:request_prompt_tokens_bucket{engine="0",le="100.0",model_name="llama"} 40.0 1760000000000
python_gc_objects_collected_total{generation="0"} 9000.0
http_requests_total{handler="/v1/completions",method="POST",status="4xx"} 3.0
http_requests_total{handler="/v1/completions",method="POST",status="2xx"} 30.0
not a line at all
vllm:num_requests_waiting{engine="0" 2.0
`;

const anEngine = (answer: { status?: number; body?: string | Buffer; hang?: boolean } = {}) =>
  listen((request, response) => {
    if (answer.hang) return;
    const found = request.url === '/metrics';
    response.writeHead(answer.status ?? (found ? 200 : 404)).end(answer.body ?? EXPOSITION);
  });

async function scrape(options: Partial<EngineScrapeOptions>, over: Partial<MetricsTarget>, context = aReadContext()) {
  const clock = createFakeClock();
  const metrics = firstThatAnswers([createEngineScrape({ clock, podIP: true, ...options })], clock);
  const { files, notRead } = await metrics.collect(aMetricsTarget({ diedAt: null, ...over }), context);
  const file = SeriesFile.parse(JSON.parse(files['series.json'] ?? ''));
  return { text: files['metrics.txt'], notRead, file, calls: context.budget.cost().calls };
}

describe('the /metrics of an engine', () => {
  it('gives the lines that mean something, each with a time, old names left out', async () => {
    const { text, file } = await scrape({}, { ports: [await anEngine()] });

    expect(text?.trimEnd().split('\n')).toEqual([
      `vllm:num_requests_running{engine="0",model_name="llama \\"8B\\""} 4.0 ${START}`,
      `vllm:kv_cache_usage_perc{engine="0",model_name="llama"} 0.97 ${START}`,
      'vllm:request_prompt_tokens_bucket{engine="0",le="100.0",model_name="llama"} 40.0 1760000000000',
      `http_requests_total{handler="/v1/completions",method="POST",status="4xx"} 3.0 ${START}`,
      // Shows that no request has failed.
      `http_requests_total{handler="/v1/completions",method="POST",status="2xx"} 30.0 ${START}`,
    ]);
    const known = ['requests.running', 'kv-cache.used-share', 'prompt.tokens', 'requests.errors', 'requests.rejected'];
    expect(file.unknown.map(({ item }) => item)).toEqual(METRIC_IDS.filter((id) => !known.includes(id)));
    expect(file.series).toEqual([]);
  });

  it('is looked for on each declared port, three at most', async () => {
    const ports = [await deadPort(), await anEngine({ body: 'up 1\n' }), await anEngine()];

    expect((await scrape({}, { ports })).text).toContain('vllm:');
    expect((await scrape({}, { ports: [ports[0]!, ports[0]!, ports[1]!, ports[1]! + 0, ports[2]!] })).calls).toBe(3);
  });

  it('of an instance that died is gone: what answers now is the next one', async () => {
    const port = await anEngine();

    const { text, notRead, calls } = await scrape({}, { ports: [port], diedAt: START });

    expect(text).toBeUndefined();
    expect(calls).toBe(0);
    expect(notRead).toEqual([expect.objectContaining({ item: 'metrics', reason: 'gone' })]);
  });

  it.each<[string, Parameters<typeof anEngine>[0], string]>([
    ['answers 404', { status: 404 }, 'not-exposed'],
    ['answers 401', { status: 401 }, 'forbidden'],
    ['has none of the series', { body: '<html>' }, 'not-exposed'],
    ['says nothing', { body: '' }, 'not-exposed'],
    ['never answers', { hang: true }, 'deadline'],
  ])('that %s is unknown with its reason', async (_name, answer, reason) => {
    const { text, notRead } = await scrape(
      { timeoutMs: answer?.hang ? 60 : 5000 },
      { ports: [await anEngine(answer)] },
    );

    expect(text).toBeUndefined();
    expect(notRead).toEqual([expect.objectContaining({ item: 'metrics', reason })]);
  });

  it.each([
    ['nobody listens', { podIP: '127.0.0.1' }, 'unreachable'],
    ['the pod has no IP', { podIP: null }, 'not-configured'],
    ['the IP is none', { podIP: 'evil.example/?' }, 'not-configured'],
  ])('where %s is unknown with its reason', async (_name, over, reason) => {
    const { notRead } = await scrape({}, { ports: [await deadPort()], ...over });

    expect(notRead).toEqual([expect.objectContaining({ item: 'metrics', reason })]);
  });

  it('beyond the bytes left is read to its last whole line', async () => {
    const body = Buffer.from(
      `${EXPOSITION.split('\n').slice(2, 4).join('\n')}\nvllm:num_requests_waiting{x="${'y'.repeat(9000)}"} 1\n`,
    );
    const context = aReadContext({ limits: { bytes: 300 } });

    const { text } = await scrape({}, { ports: [await anEngine({ body })] }, context);

    expect(text).toContain('vllm:kv_cache_usage_perc');
    expect(text).not.toContain('waiting');
    expect(context.budget.cost().bytes).toBeLessThanOrEqual(300);
  });

  it('with a line of megabytes does not hold the bot up', async () => {
    const body = `${'a'.repeat(4_000_000)}\nx{${'b'.repeat(4_000_000)}} 1\n${EXPOSITION}`;

    const { text } = await scrape({}, { ports: [await anEngine({ body })] });

    expect(text).toContain('vllm:');
  });
});

describe('the pod proxy', () => {
  const proxy =
    (asked: unknown[], answer: Awaited<ReturnType<ViaProxy>>): ViaProxy =>
    async (target, port, path) => {
      asked.push([target.pod, port, path]);
      return answer;
    };

  it('is used where the pod IP does not answer', async () => {
    const asked: unknown[] = [];
    const port = await deadPort();

    const { text } = await scrape({ viaProxy: proxy(asked, { kind: 'text', text: EXPOSITION }) }, { ports: [port] });

    expect(text).toContain('vllm:');
    expect(asked).toEqual([[aMetricsTarget().pod, port, '/metrics']]);
  });

  it('alone is asked on the usual port where none is declared', async () => {
    const asked: unknown[] = [];
    const refused = { kind: 'refused', reason: 'forbidden', detail: 'pods/proxy' } as const;

    const { notRead } = await scrape({ podIP: false, viaProxy: proxy(asked, refused) }, { ports: [] });

    expect(asked).toEqual([[aMetricsTarget().pod, 8000, '/metrics']]);
    expect(notRead).toEqual([{ item: 'metrics', reason: 'forbidden', detail: 'pods/proxy' }]);
  });
});

describe('several sources', () => {
  const scene = { namespace: 'llm', pod: aMetricsTarget().pod, container: 'vllm', node: 'gpu-node-1', until: START };
  const ask = async (of: (name: string) => boolean, port: number) => {
    const clock = createFakeClock();
    const series = podSeries(scene).filter(({ labels }) => of(labels.__name__ ?? ''));
    const standin = await aPrometheus({ series });
    const sources = [
      createPrometheusMetrics({ baseUrl: standin.url, clock }),
      createEngineScrape({ clock, podIP: true }),
    ];
    const context = aReadContext();
    const target = aMetricsTarget({ diedAt: null, ports: [port] });
    const { files, notRead } = await firstThatAnswers(sources, clock).collect(target, context);
    const file = SeriesFile.parse(JSON.parse(files['series.json'] ?? ''));
    return { file, text: files['metrics.txt'] ?? '', notRead, context };
  };
  const why = (file: SeriesFile, id: string) => file.unknown.find(({ item }) => item === id);

  it('wait no longer than the limit that the clock gives them, and end it', async () => {
    const ended: number[] = [];
    const none = AbortSignal.abort(new DOMException('', 'TimeoutError'));
    const spent = { ...createFakeClock(), limit: (ms: number) => ({ signal: none, end: () => void ended.push(ms) }) };
    const port = await anEngine();
    const standin = await aPrometheus({ series: podSeries(scene) });
    const target = aMetricsTarget({ diedAt: null, ports: [port] });

    const sources = [
      createPrometheusMetrics({ baseUrl: standin.url, clock: spent, timeoutMs: 77 }),
      createEngineScrape({ clock: spent, podIP: true, timeoutMs: 88 }),
    ];
    const readings = await Promise.all(sources.map((one) => one.read(target, aReadContext())));

    for (const { missing } of readings) expect(missing.get('requests.running')).toMatchObject({ reason: 'deadline' });
    expect(new Set(ended)).toEqual(new Set([77, 88]));
  });

  it('fill each other: RAM from Prometheus, the engine from its own /metrics', async () => {
    const { file, text, context } = await ask((name) => name.startsWith('container_'), await anEngine());

    expect(file.series.map(({ id }) => id)).toContain('container.memory.rss');
    expect(text).toContain('container_memory_rss');
    expect(text).toContain('vllm:kv_cache_usage_perc');
    expect(why(file, 'requests.running')).toBeUndefined();
    expect(why(file, 'gpu.framebuffer.used')).toMatchObject({ reason: 'empty' });
    expect(context.progressed.map(({ status }) => status)).toEqual(['running', 'done']);
  });

  it('that all fail tell all their reasons', async () => {
    const { file } = await ask(() => false, await deadPort());

    expect(why(file, 'requests.running')).toMatchObject({
      reason: 'empty',
      detail: expect.stringMatching(/Prometheus has no such series.*; port \d+ of the pod cannot be reached/),
    });
  });

  it('that are none make every metric not configured', async () => {
    const { files, notRead } = await firstThatAnswers([], createFakeClock()).collect(aMetricsTarget(), aReadContext());

    expect(notRead).toEqual([expect.objectContaining({ item: 'metrics', reason: 'not-configured' })]);
    expect(SeriesFile.parse(JSON.parse(files['series.json'] ?? '')).unknown).toHaveLength(METRIC_IDS.length);
  });
});
