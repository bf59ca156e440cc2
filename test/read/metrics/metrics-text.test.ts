import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MetricId } from '../../../src/model/metric-table.ts';
import { metricValue, onlyMetrics, quantileOf, readMetricsText } from '../../../src/read/metrics/metrics-text.ts';
import { FAR_FROM_QUADRATIC, growthWith } from '../../growth.ts';

const MIB = 1024 ** 2;
const valueIn = (text: string, id: MetricId) => metricValue(readMetricsText(text), id)?.value;

describe('Prometheus text', () => {
  const RUNNING = 'vllm:num_requests_running';
  const HTTP = 'http_requests_total';
  const TWICE = `${RUNNING} 3 1700000000000\n${RUNNING} 5 1700000015000`;
  const REFUSED = [1, 3].map((n) => `vllm:admission_rejections_total{reason="r${n}"} ${n}`).join('\n');
  const ofCards = (name: string) => `${name}{gpu="0"} 100\n${name}{gpu="1"} 300`;

  it.each<[string, string, MetricId, number | undefined]>([
    ['one sample', 'vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.97', 'kv-cache.used-share', 0.97],
    ['without labels', 'vllm:num_requests_waiting 4', 'requests.waiting', 4],
    ['colons rewritten', 'vllm_num_requests_waiting{} 4', 'requests.waiting', 4],
    ['the engine left out', 'num_requests_waiting 4', 'requests.waiting', 4],
    ['an exponent', 'container_memory_working_set_bytes{pod="p"} 1.5e+10', 'container.memory.working-set', 1.5e10],
    ['a sum over engines', `${RUNNING}{engine="0"} 3\n${RUNNING}{engine="1"} 4`, 'requests.running', 7],
    ['the fullest of several', ofCards('DCGM_FI_DEV_FB_USED'), 'gpu.framebuffer.used', 300 * MIB],
    ['the least free of several', ofCards('DCGM_FI_DEV_FB_FREE'), 'gpu.framebuffer.free', 100 * MIB],
    ['percent as a share', 'DCGM_FI_DEV_GPU_UTIL{gpu="0"} 57', 'gpu.utilization', 0.57],
    ['the newest name', 'vllm:kv_cache_usage_perc 0.5\nvllm:gpu_cache_usage_perc 0.4', 'kv-cache.used-share', 0.5],
    ['the last of two scrapes', TWICE, 'requests.running', 5],
    ['a class of status', `${HTTP}{status="4xx"} 7\n${HTTP}{status="2xx"} 90`, 'requests.rejected', 7],
    ['a class of status without a sample', `${HTTP}{status="2xx"} 90`, 'requests.errors', 0],
    ['a counter without a sample, of TGI', 'tgi_request_count 9', 'requests.errors', 0],
    ['a counter of which nothing tells', `${RUNNING} 0`, 'requests.errors', undefined],
    ['what a limit of the queue refused', REFUSED, 'requests.over-queue-limit', 4],
    ['the longest request of llama.cpp', 'llamacpp:n_tokens_max 343', 'request.longest', 343],
    ['no limit', 'container_spec_memory_limit_bytes{pod="p"} 0', 'container.memory.limit', undefined],
    ['a prefix cache that is off', 'vllm:gpu_prefix_cache_hit_rate -1', 'prefix-cache.hit-share', undefined],
    ['no number', 'vllm:num_requests_running NaN', 'requests.running', undefined],
    ['a label with quotes and braces', 'vllm:num_requests_running{model_name="a\\"}, b"} 2', 'requests.running', 2],
    ['an exemplar', 'vllm:num_requests_running 2 # {trace="x"} 1', 'requests.running', 2],
    ['colours and Windows line ends', '\u001b[1mvllm:num_requests_running 2\u001b[0m\r\n', 'requests.running', 2],
    ['HELP and TYPE alone', `# HELP ${RUNNING} x\n# TYPE ${RUNNING} gauge`, 'requests.running', undefined],
    ['a figure in words', 'requests running: 3', 'requests.running', undefined],
  ])('%s', (_, text, id, value) => {
    expect(valueIn(text, id)).toBe(value);
  });

  it.each([
    ['in a label', 'vllm:cache_config_info{block_size="32"} 1.0', 'kv-cache.block-tokens', 32],
    ['in a label, without the engine in front', 'cache_config_info{block_size="32"} 1.0', 'kv-cache.block-tokens', 32],
    ['in no label', 'vllm:cache_config_info{block_size="None"} 1.0', 'kv-cache.block-tokens', undefined],
    ['zero that stands for nothing', 'sglang:weight_memory_usage_gb 0.0', 'engine.weight-bytes', undefined],
    ['one name of several engines, once', TWICE.replaceAll('vllm:', ''), 'requests.running', 5],
  ] as const)('stands %s', (_, text, id, value) => {
    expect(valueIn(text, id)).toBe(value);
  });

  it('cites the line', () => {
    const text = 'vllm:num_requests_running{engine="0"} 3.0';

    const from = metricValue(readMetricsText(`a 1\n${text}\n`), 'requests.running')?.from;

    expect(from).toEqual({ kind: 'line', file: 'metrics.txt', line: 2, text });
  });

  it('is a series when the same sample stands there with times', () => {
    const [first, second] = [
      { at: 1700000000000, value: 3 },
      { at: 1700000015000, value: 5 },
    ];

    expect(readMetricsText(TWICE).series).toMatchObject([
      { id: 'requests.running', unit: 'count', timed: true, points: [first, second] },
    ]);
  });
});

describe('a quantile of a histogram', () => {
  /** The counts of 100, of 1000 and of all. */
  const buckets = (counts: readonly number[], labels = '') =>
    ['100', '1000', '+Inf']
      .map((le, i) => `vllm:request_prompt_tokens_bucket{${labels}le="${le}"} ${counts[i]}`)
      .join('\n');
  const three = buckets([50, 90, 100]);
  const two = `${buckets([10, 10, 10], 'engine="0",')}\n${buckets([0, 10, 10], 'engine="1",')}`;

  it.each([
    ['inside a bucket', three, 0.7, 550],
    ['on a bound', three, 0.5, 100],
    ['above the last bound: that bound', three, 0.95, 1000],
    ['in the first bucket', three, 0.25, 50],
    ['in any order', three.split('\n').reverse().join('\n'), 0.7, 550],
    ['over two engines', two, 0.75, 550],
  ])('%s', (_, text, q, value) => {
    expect(quantileOf(readMetricsText(text), 'prompt.tokens', q)?.value).toBe(value);
  });

  it.each([
    ['empty', buckets([0, 0, 0])],
    ['absent', 'vllm:request_prompt_tokens_sum 5'],
  ])('is unknown where it is %s', (_, text) => {
    expect(quantileOf(readMetricsText(text), 'prompt.tokens', 0.95)).toBeUndefined();
  });
});

describe('kubectl top pod', () => {
  it.each([
    ['of a pod', 'NAME    CPU(cores)   MEMORY(bytes)\napi-0   960m   4544Mi'],
    [
      'of its containers',
      'POD   NAME   CPU(cores)   MEMORY(bytes)\napi-0   vllm   960m   4544Mi\napi-0   proxy   1m   20Mi',
    ],
    ['of all namespaces', 'NAMESPACE   NAME   CPU(cores)   MEMORY(bytes)\nllm   api-0   960m   4544Mi'],
  ])('printed once tells the use %s', (_, text) => {
    expect(valueIn(text, 'container.memory.working-set')).toBe(4544 * MIB);
  });

  const HEAD = 'NAME   CPU(cores)   MEMORY(bytes)\n';
  const twice = (name: string) => `${name}   960m   4544Mi\n${name}   963m   4595Mi\n`;

  it.each([
    ['printed again and again', `${HEAD}${twice('api')}proxy 1m 20Mi`, { pod: 'api' }],
    ['without its head', twice('api'), { pod: 'api' }],
    ['of all namespaces', `NAMESPACE  ${HEAD}${twice('llm  api')}`, { namespace: 'llm', pod: 'api' }],
    ['with containers', `POD  ${HEAD}${twice('api  vllm')}api  proxy 1m 20Mi`, { pod: 'api', container: 'vllm' }],
  ])('%s is a series without times', (_, text, labels) => {
    const points = [{ value: 4544 * MIB }, { value: 4595 * MIB }];

    expect(readMetricsText(text).series).toMatchObject([
      { id: 'container.memory.working-set', timed: false, labels, points },
    ]);
  });
});

it('leaves nothing of metrics.txt but samples and rows of kubectl top', () => {
  const kept = ['vllm:num_requests_running 3', 'NAME   CPU(cores)   MEMORY(bytes)', 'api   960m   4544Mi'];
  const other = ['# HELP a out of memory', '| redis | OOMKilled |', 'the pod was OOMKilled'];

  expect(onlyMetrics([...kept, ...other].join('\n'))).toBe(`${kept.join('\n')}\n\n\n`);
});

describe('any text', () => {
  it('is read without a throw', () => {
    const line = fc.oneof(
      fc.constantFrom(
        'NAME   CPU(cores)   MEMORY(bytes)',
        'api   963m   4595Mi',
        'vllm:request_prompt_tokens_bucket{le="x"} 5',
        'GPU memory 1 GiB of 2',
        'a{',
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        const read = readMetricsText(lines.join('\n'));
        metricValue(read, 'gpu.framebuffer.used');
        quantileOf(read, 'prompt.tokens', 0.95);
        for (const { points } of read.series) expect(points.length).toBeGreaterThan(1);
      }),
      { numRuns: 300, seed: 4 },
    );
  });

  it.each([
    ['blanks', `a${' '.repeat(600_000)}`],
    ['labels', `a{${'b="c",'.repeat(150_000)}`],
    ['backslashes', `a{b="${'\\'.repeat(600_000)}`],
    ['words', 'word '.repeat(150_000)],
  ])('takes time in step with its length: one long line of %s', (_, text) => {
    expect(growthWith(text, readMetricsText)).toBeLessThan(FAR_FROM_QUADRATIC);
  });
});
