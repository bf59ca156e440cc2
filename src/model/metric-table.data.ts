import { GIB, MIB } from './quantity.ts';

/** `gauge` is read as it stands, `counter` by its increase, `histogram` by name plus _bucket, _sum, _count. */
export type MetricKind = 'gauge' | 'counter' | 'histogram';

/** Units after `factor` has been applied. */
export type MetricUnit = 'bytes' | 'share' | 'count' | 'tokens' | 'seconds' | 'celsius';

/** One series of one engine or exporter. `from` and `to` are the first and last version that has it; null = not bounded. */
export type MetricSeries = {
  readonly id: string;
  readonly engine: string;
  readonly name: string;
  readonly kind: MetricKind;
  /** The value as exposed times this is in the unit of the metric. */
  readonly factor: number;
  /** Only samples with these labels count; a value may end in `*`. */
  readonly where: Readonly<Record<string, string>>;
  /** The figure stands in this label, the sample itself is 1; a sample in which it is no number does not count. */
  readonly label: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly source: string;
};

type Entry = {
  readonly kind?: MetricKind;
  readonly factor?: number;
  readonly where?: Readonly<Record<string, string>>;
  readonly label?: string;
  readonly from?: string;
  readonly to?: string;
};
type Row = readonly [id: string, name: string, entry?: Entry];

function of(engine: string, source: string, rows: readonly Row[]): readonly MetricSeries[] {
  return rows.map(([id, name, entry = {}]) => ({
    id,
    engine,
    name,
    kind: entry.kind ?? (name.endsWith('_total') ? 'counter' : 'gauge'),
    factor: entry.factor ?? 1,
    where: entry.where ?? {},
    label: entry.label ?? null,
    from: entry.from ?? null,
    to: entry.to ?? null,
    source,
  }));
}

const histogram = { kind: 'histogram' } as const;
const VLLM_CACHE = 'vllm:cache_config_info';
const TRITON_BLOCKS = 'nv_trt_llm_kv_cache_block_metrics';

// Order counts: within one engine the newest name of a metric stands first, and is asked for first.
export const METRIC_SERIES: readonly MetricSeries[] = [
  ...of('vllm', 'vllm-project/vllm vllm/v1/metrics/loggers.py, vllm/engine/metrics.py', [
    ['requests.running', 'vllm:num_requests_running', { from: '0.2' }],
    ['requests.waiting', 'vllm:num_requests_waiting', { from: '0.2' }],
    ['kv-cache.used-share', 'vllm:kv_cache_usage_perc', { from: '0.9.2' }],
    ['kv-cache.used-share', 'vllm:gpu_cache_usage_perc', { from: '0.2.3', to: '0.11' }],
    ['preemptions', 'vllm:num_preemptions_total', { from: '0.4.3' }],
    ['prefix-cache.queries', 'vllm:prefix_cache_queries_total', { from: '0.9.2' }],
    ['prefix-cache.queries', 'vllm:gpu_prefix_cache_queries_total', { from: '0.7.3', to: '0.11' }],
    ['prefix-cache.hits', 'vllm:prefix_cache_hits_total', { from: '0.9.2' }],
    ['prefix-cache.hits', 'vllm:gpu_prefix_cache_hits_total', { from: '0.7.3', to: '0.11' }],
    // -1 when prefix caching is off.
    ['prefix-cache.hit-share', 'vllm:gpu_prefix_cache_hit_rate', { from: '0.5.5', to: '0.9.0' }],
    ['prompt.tokens', 'vllm:request_prompt_tokens', { ...histogram, from: '0.4.2' }],
    ['generation.tokens', 'vllm:request_generation_tokens', { ...histogram, from: '0.4.2' }],
    ['ttft', 'vllm:time_to_first_token_seconds', { ...histogram, from: '0.3' }],
    ['e2e.latency', 'vllm:e2e_request_latency_seconds', { ...histogram, from: '0.2' }],
    ['queue.time', 'vllm:request_queue_time_seconds', { ...histogram, from: '0.6.4' }],
    ['requests.success', 'vllm:request_success_total', { from: '0.4.2' }],
    ['kv-cache.capacity-blocks', VLLM_CACHE, { label: 'num_gpu_blocks', from: '0.4' }],
    ['kv-cache.block-tokens', VLLM_CACHE, { label: 'block_size', from: '0.4' }],
    // Of the newest versions: counted by the engine itself, over the groups of a hybrid model.
    ['kv-cache.capacity-tokens', VLLM_CACHE, { label: 'kv_cache_size_tokens' }],
    ['engine.memory-share', VLLM_CACHE, { label: 'gpu_memory_utilization', from: '0.4' }],
  ]),
  // vLLM has no reject counter of its own; the status label is grouped into classes.
  ...of('vllm', 'trallnag/prometheus-fastapi-instrumentator metrics.py', [
    ['requests.errors', 'http_requests_total', { from: '0.5', where: { status: '5*' } }],
    ['requests.rejected', 'http_requests_total', { from: '0.5', where: { status: '4*' } }],
  ]),
  ...of('sglang', 'sgl-project/sglang python/sglang/srt/observability/metrics_collector.py (v0.5.18)', [
    ['requests.running', 'sglang:num_running_reqs', { from: '0.3.6' }],
    ['requests.waiting', 'sglang:num_queue_reqs', { from: '0.3.6' }],
    ['kv-cache.used-share', 'sglang:token_usage', { from: '0.3.6' }],
    ['preemptions', 'sglang:num_retracted_requests_total', { from: '0.5.7' }],
    ['preemptions', 'sglang:total_retracted_reqs', { kind: 'counter', from: '0.5.2', to: '0.5.2' }],
    ['prefix-cache.hits', 'sglang:cached_tokens_total', { from: '0.4.6' }],
    ['prefix-cache.queries', 'sglang:prompt_tokens_total', { from: '0.3.6' }],
    // Of the last prefill batch only: noisy.
    ['prefix-cache.hit-share', 'sglang:cache_hit_rate', { from: '0.3.6' }],
    ['ttft', 'sglang:time_to_first_token_seconds', { ...histogram, from: '0.3.6' }],
    ['e2e.latency', 'sglang:e2e_request_latency_seconds', { ...histogram, from: '0.3.6' }],
    ['queue.time', 'sglang:queue_time_seconds', { ...histogram, from: '0.5.4' }],
    ['requests.success', 'sglang:num_requests_total', { from: '0.4.3' }],
    ['requests.errors', 'sglang:http_responses_total', { from: '0.5.9', where: { status_code: '5*' } }],
    ['requests.rejected', 'sglang:http_responses_total', { from: '0.5.9', where: { status_code: '4*' } }],
    ['kv-cache.capacity-tokens', 'sglang:max_total_num_tokens', { from: '0.5.6' }],
    // Its GB are GiB.
    ['kv-cache.bytes', 'sglang:kv_cache_memory_usage_gb', { factor: GIB, from: '0.5.18' }],
    ['engine.weight-bytes', 'sglang:weight_memory_usage_gb', { factor: GIB, from: '0.5.18' }],
    ['engine.graph-bytes', 'sglang:graph_memory_usage_gb', { factor: GIB, from: '0.5.18' }],
    ['engine.free-bytes', 'sglang:startup_available_gpu_memory_gb', { factor: GIB, from: '0.5.12' }],
  ]),
  ...of('tgi', 'huggingface/text-generation-inference backends/v3/src, router/src (v3.3.7)', [
    ['requests.running', 'tgi_batch_current_size', { from: '0.9' }],
    ['requests.waiting', 'tgi_queue_size', { from: '0.9' }],
    ['prompt.tokens', 'tgi_request_input_length', { ...histogram, from: '0.9' }],
    ['generation.tokens', 'tgi_request_generated_tokens', { ...histogram, from: '0.9' }],
    ['e2e.latency', 'tgi_request_duration', { ...histogram, from: '0.9' }],
    ['queue.time', 'tgi_request_queue_duration', { ...histogram, from: '0.9' }],
    ['requests.success', 'tgi_request_success', { kind: 'counter', from: '0.9' }],
    ['requests.errors', 'tgi_request_failure', { kind: 'counter', from: '0.9', where: { err: 'generation' } }],
    ['requests.rejected', 'tgi_request_failure', { kind: 'counter', from: '0.9', where: { err: 'overloaded' } }],
    ['requests.rejected', 'tgi_request_failure', { kind: 'counter', from: '0.9', where: { err: 'validation' } }],
    // What the requests of the batch may grow to: it is reserved, and who waits waits for it.
    ['kv-cache.used-tokens', 'tgi_batch_current_max_tokens', { from: '0.9' }],
    ['kv-cache.capacity-tokens', 'tgi_batch_max_total_tokens', { from: '2.4' }],
  ]),
  ...of('lmdeploy', 'InternLM/lmdeploy lmdeploy/metrics (v0.16.0)', [
    ['requests.running', 'lmdeploy:num_requests_running', { from: '0.9.2' }],
    ['requests.waiting', 'lmdeploy:num_requests_waiting', { from: '0.9.2' }],
    ['kv-cache.used-share', 'lmdeploy:gpu_cache_usage_perc', { from: '0.9.2' }],
    ['prefix-cache.hit-share', 'lmdeploy:prefix_cache_hit_rate', { from: '0.9.2' }],
    ['ttft', 'lmdeploy:time_to_first_token_seconds', { ...histogram, from: '0.9.2' }],
    ['e2e.latency', 'lmdeploy:e2e_request_latency_seconds', { ...histogram, from: '0.9.2' }],
    ['queue.time', 'lmdeploy:request_queue_time_seconds', { ...histogram, from: '0.9.2' }],
    ['requests.success', 'lmdeploy:request_success_total', { from: '0.9.2' }],
  ]),
  ...of('llama.cpp', 'ggml-org/llama.cpp tools/server/README.md', [
    ['requests.running', 'llamacpp:requests_processing'],
    ['requests.waiting', 'llamacpp:requests_deferred'],
    // Removed in mid 2025; builds are numbered b1234, so no version bound.
    ['kv-cache.used-share', 'llamacpp:kv_cache_usage_ratio'],
  ]),
  ...of('tensorrt-llm', 'NVIDIA/TensorRT-LLM tensorrt_llm/metrics', [
    ['requests.running', 'trtllm_num_requests_running'],
    ['kv-cache.used-share', 'trtllm_kv_cache_utilization', { from: '1.0' }],
    ['prefix-cache.hit-share', 'trtllm_kv_cache_hit_rate', { from: '1.0' }],
    // With the host's blocks where a host pool stands beside that of the device: `kv-cache.host-share` tells of one.
    ['kv-cache.capacity-blocks', 'trtllm_kv_cache_max_blocks'],
    ['kv-cache.used-blocks', 'trtllm_kv_cache_used_blocks'],
    ['kv-cache.block-tokens', 'trtllm_kv_cache_tokens_per_block'],
    ['kv-cache.host-share', 'trtllm_kv_cache_host_utilization'],
  ]),
  ...of('tensorrt-llm', 'triton-inference-server/tensorrtllm_backend README.md', [
    ['requests.running', 'nv_trt_llm_request_metrics', { where: { request_type: 'scheduled' } }],
    ['requests.waiting', 'nv_trt_llm_request_metrics', { where: { request_type: 'waiting' } }],
    ['kv-cache.used-share', TRITON_BLOCKS, { where: { kv_cache_block_type: 'fraction' } }],
    ['kv-cache.capacity-blocks', TRITON_BLOCKS, { where: { kv_cache_block_type: 'max' } }],
    ['kv-cache.used-blocks', TRITON_BLOCKS, { where: { kv_cache_block_type: 'used' } }],
    ['kv-cache.block-tokens', TRITON_BLOCKS, { where: { kv_cache_block_type: 'tokens_per' } }],
  ]),
  ...of('triton', 'triton-inference-server metrics (not seen in a source file)', [
    ['gpu.framebuffer.used', 'nv_gpu_memory_used_bytes'],
    ['gpu.framebuffer.total', 'nv_gpu_memory_total_bytes'],
  ]),
  ...of('xllm', 'jd-opensource/xllm xllm/core/common/metrics.h', [
    ['requests.running', 'num_running_requests'],
    ['requests.waiting', 'num_waiting_requests'],
    ['kv-cache.used-share', 'kv_cache_utilization_perc'],
  ]),
  ...of('kaito', 'kaito-project/kaito presets/workspace/inference/vllm/rate_limit.py (v0.12.0)', [
    ['requests.rejected', 'kaito_ratelimit_rejected_total', { from: '0.12' }],
  ]),
  ...of('dcgm-exporter', 'NVIDIA/dcgm-exporter etc/default-counters.csv (4.8.2)', [
    ['gpu.framebuffer.used', 'DCGM_FI_DEV_FB_USED', { factor: MIB }],
    ['gpu.framebuffer.free', 'DCGM_FI_DEV_FB_FREE', { factor: MIB }],
    // Not in the default counter list.
    ['gpu.framebuffer.total', 'DCGM_FI_DEV_FB_TOTAL', { factor: MIB }],
    // Absent under MIG.
    ['gpu.utilization', 'DCGM_FI_DEV_GPU_UTIL', { factor: 0.01 }],
    ['gpu.temperature', 'DCGM_FI_DEV_GPU_TEMP'],
  ]),
  ...of('cadvisor', 'google/cadvisor metrics/prometheus.go', [
    ['container.memory.working-set', 'container_memory_working_set_bytes'],
    ['container.memory.rss', 'container_memory_rss'],
    // 0 means that there is no limit.
    ['container.memory.limit', 'container_spec_memory_limit_bytes'],
    ['container.oom-events', 'container_oom_events_total'],
  ]),
  ...of('node_exporter', 'prometheus/node_exporter collector/meminfo_linux.go', [
    ['node.memory.available', 'node_memory_MemAvailable_bytes'],
  ]),
  ...of('kube-state-metrics', 'kubernetes/kube-state-metrics docs/metrics/workload/pod-metrics.md (04ee634c)', [
    ['container.memory.limit', 'kube_pod_container_resource_limits', { where: { resource: 'memory' } }],
    ['container.restarts', 'kube_pod_container_status_restarts_total'],
  ]),
];
