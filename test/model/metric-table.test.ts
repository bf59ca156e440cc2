import { describe, expect, it } from 'vitest';
import {
  appliesTo,
  canonicalOf,
  compareVersions,
  figureIn,
  METRIC_IDS,
  seriesNames,
  seriesOf,
} from '../../src/model/metric-table.ts';

describe('the names of a metric', () => {
  const [KV, GPU] = ['kv_cache_usage_perc', 'gpu_cache_usage_perc'];
  const named = (...names: readonly string[]) =>
    ['vllm:', 'vllm_'].flatMap((engine) => names.map((one) => engine + one));

  it.each([
    ['0.6.3.post1', named(GPU)],
    ['0.10.0', named(KV, GPU)],
    ['0.11.2', named(KV, GPU)],
    ['0.12.0', named(KV)],
    ['0.9.1', named(GPU)],
    ['0.9.2', expect.arrayContaining(['vllm:kv_cache_usage_perc'])],
    ['0.19.1rc1.dev3+gabc', named(KV)],
    ['0.1.7', []],
  ])('KV use of vLLM %s', (version, names) => {
    expect(seriesNames('kv-cache.used-share', 'vllm', version)).toEqual(names);
  });

  it('of an unknown version are all of them, the newest first', () => {
    expect(seriesNames('kv-cache.used-share', 'vllm')[0]).toBe('vllm:kv_cache_usage_perc');
    expect(seriesNames('requests.waiting')).toEqual(
      expect.arrayContaining(['sglang:num_queue_reqs', 'tgi_queue_size']),
    );
  });

  it('of an engine that does not export it are none', () => {
    expect(seriesNames('kv-cache.used-share', 'tgi')).toEqual([]);
  });
});

describe('what a name means', () => {
  it.each([
    ['vllm:kv_cache_usage_perc', 'kv-cache.used-share', undefined],
    ['vllm_kv_cache_usage_perc', 'kv-cache.used-share', undefined],
    ['vllm:request_prompt_tokens_bucket', 'prompt.tokens', 'bucket'],
    ['sglang_e2e_request_latency_seconds_count', 'e2e.latency', 'count'],
    ['DCGM_FI_DEV_FB_USED', 'gpu.framebuffer.used', undefined],
  ])('%s is %s', (name, id, part) => {
    expect(canonicalOf(name)).toMatchObject([{ id, part }]);
  });

  it('depends on the labels where one series holds two metrics', () => {
    const known = canonicalOf('http_requests_total');
    const meant = known.filter(({ series }) => appliesTo(series, { handler: '/v1', status: '5xx' }));

    expect(known).toHaveLength(2);
    expect(meant.map(({ id }) => id)).toEqual(['requests.errors']);
    expect(known.some(({ series }) => appliesTo(series, {}))).toBe(false);
  });

  it('is several figures where a series bears them in its labels', () => {
    const labels = { block_size: '16', num_gpu_blocks: '7177', gpu_memory_utilization: 'None' };
    const meant = canonicalOf('vllm:cache_config_info').filter(({ series }) => appliesTo(series, labels));

    expect(meant.map(({ id, series }) => [id, figureIn(series, labels, 1)])).toEqual([
      ['kv-cache.capacity-blocks', 7177],
      ['kv-cache.block-tokens', 16],
    ]);
  });

  it('is nothing for a name of no table', () => {
    expect(canonicalOf('up')).toEqual([]);
    expect(canonicalOf('vllm:request_prompt_tokens')).toEqual([]);
  });
});

describe('the table', () => {
  it('has a series for every metric', () => {
    expect(METRIC_IDS.filter((id) => seriesOf(id).length === 0)).toEqual([]);
  });

  it('gives the framebuffer in bytes and utilisation as a share', () => {
    expect(seriesOf('gpu.framebuffer.used', 'dcgm-exporter')[0]?.factor).toBe(1024 ** 2);
    expect(seriesOf('gpu.utilization', 'dcgm-exporter')[0]?.factor).toBe(0.01);
  });
});

it.each([
  ['0.9.2', '0.11.0', -1],
  ['0.11', '0.11.0', 0],
  ['v0.11.1', '0.11.0rc1', 1],
  ['', '0.1', -1],
])('versions: %s against %s', (a, b, sign) => {
  expect(Math.sign(compareVersions(a, b))).toBe(sign);
});
