/** Units after the factor of a series has been applied. */
export type MetricUnit = 'bytes' | 'share' | 'count' | 'tokens' | 'seconds' | 'celsius';

/**
 * What a metric means, whatever an engine calls it. `combine` tells how the samples of several GPUs, ranks or labels become
 * one. `above0`: zero stands for what is not known, or not there. `ofSome`: that an engine does not have it is no lack.
 */
export type MetricMeaning = {
  readonly unit: MetricUnit;
  readonly combine: 'max' | 'min' | 'sum';
  readonly says: string;
  readonly above0?: true;
  readonly ofSome?: true;
};

const SIZE = { above0: true, ofSome: true } as const;

const METRICS = {
  'container.memory.working-set': { unit: 'bytes', combine: 'max', says: 'working set of the container' },
  'container.memory.limit': { unit: 'bytes', combine: 'max', above0: true, says: 'memory limit of the container' },
  'container.memory.rss': { unit: 'bytes', combine: 'max', says: 'anonymous memory of the container' },
  'gpu.framebuffer.used': { unit: 'bytes', combine: 'max', says: 'framebuffer in use, by GPU' },
  'gpu.framebuffer.free': { unit: 'bytes', combine: 'min', says: 'framebuffer free, by GPU' },
  'gpu.framebuffer.total': { unit: 'bytes', combine: 'max', says: 'framebuffer, by GPU' },
  'gpu.utilization': { unit: 'share', combine: 'max', says: 'share of time in which a kernel ran, by GPU' },
  'gpu.temperature': { unit: 'celsius', combine: 'max', says: 'temperature, by GPU' },
  'kv-cache.used-share': { unit: 'share', combine: 'max', says: 'share of the KV pool in use' },
  'requests.running': { unit: 'count', combine: 'sum', says: 'requests in the batch' },
  'requests.waiting': { unit: 'count', combine: 'sum', says: 'requests in the queue' },
  preemptions: { unit: 'count', combine: 'sum', says: 'requests preempted because the KV cache was full' },
  'prefix-cache.queries': { unit: 'tokens', combine: 'sum', says: 'prompt tokens looked up in the prefix cache' },
  'prefix-cache.hits': { unit: 'tokens', combine: 'sum', says: 'prompt tokens found in the prefix cache' },
  'prefix-cache.hit-share': { unit: 'share', combine: 'max', says: 'hit rate of the prefix cache' },
  'prompt.tokens': { unit: 'tokens', combine: 'sum', says: 'length of prompts' },
  'generation.tokens': { unit: 'tokens', combine: 'sum', says: 'length of answers' },
  ttft: { unit: 'seconds', combine: 'sum', says: 'time to the first token' },
  'e2e.latency': { unit: 'seconds', combine: 'sum', says: 'latency from end to end' },
  'queue.time': { unit: 'seconds', combine: 'sum', says: 'time in the queue' },
  'generation.token-count': { unit: 'tokens', combine: 'sum', ofSome: true, says: 'generated tokens' },
  'requests.success': { unit: 'count', combine: 'sum', says: 'finished requests' },
  'requests.errors': { unit: 'count', combine: 'sum', says: 'requests that failed in the engine' },
  'requests.rejected': { unit: 'count', combine: 'sum', says: 'requests that were refused' },
  'requests.over-queue-limit': {
    unit: 'count',
    combine: 'sum',
    ofSome: true,
    says: 'requests that a limit of the queue refused',
  },
  'request.longest': {
    unit: 'tokens',
    combine: 'max',
    ...SIZE,
    says: 'longest request since the start, with its output',
  },
  'container.restarts': { unit: 'count', combine: 'max', says: 'restarts of the container' },
  'container.oom-events': { unit: 'count', combine: 'sum', says: 'OOM kills in the cgroup of the container' },
  // Sizes of one engine: of several ranks the smallest pool decides.
  'kv-cache.capacity-tokens': { unit: 'tokens', combine: 'min', ...SIZE, says: 'tokens that the KV pool holds' },
  'kv-cache.capacity-blocks': { unit: 'count', combine: 'min', ...SIZE, says: 'blocks of the KV pool' },
  'kv-cache.block-tokens': { unit: 'tokens', combine: 'max', ...SIZE, says: 'tokens of a block of the KV pool' },
  'kv-cache.bytes': { unit: 'bytes', combine: 'min', ...SIZE, says: 'size of the KV pool, by GPU' },
  'kv-cache.used-tokens': { unit: 'tokens', combine: 'max', ofSome: true, says: 'tokens of the KV pool in use' },
  'kv-cache.used-blocks': { unit: 'count', combine: 'max', ofSome: true, says: 'blocks of the KV pool in use' },
  'kv-cache.host-share': { unit: 'share', combine: 'max', ofSome: true, says: 'share of a host pool in use' },
  'engine.weight-bytes': { unit: 'bytes', combine: 'max', ...SIZE, says: 'weights, by GPU' },
  'engine.graph-bytes': { unit: 'bytes', combine: 'max', ...SIZE, says: 'captured graphs, by GPU' },
  'engine.free-bytes': { unit: 'bytes', combine: 'min', ...SIZE, says: 'free on the device after the start, by GPU' },
  'engine.memory-share': { unit: 'share', combine: 'max', ...SIZE, says: 'fraction of the device that it may take' },
  'node.memory.available': { unit: 'bytes', combine: 'min', says: 'memory that the node has left' },
} as const satisfies Record<string, MetricMeaning>;

export type MetricId = keyof typeof METRICS;

/** What Prometheus rules and the dashboard watch and no triage reads. */
export const WATCHED_IDS = [
  'generation.finished-tokens',
  'container.oom-killed',
  'container.terminated-at',
  'pod.pending',
  'pod.running',
  'pod.gpus',
  'autoscaler.replicas',
  'autoscaler.limit',
  'autoscaler.unable',
  'autoscaler.target',
] as const;
export type WatchedId = (typeof WATCHED_IDS)[number];
export const METRIC_IDS = Object.keys(METRICS) as readonly MetricId[];

export function isMetricId(text: string): text is MetricId {
  return Object.hasOwn(METRICS, text);
}

export function metricMeaning(id: MetricId): MetricMeaning {
  return METRICS[id];
}

/** The metrics whose absence is reported. */
export const COMMON_IDS: readonly MetricId[] = METRIC_IDS.filter((id) => metricMeaning(id).ofSome !== true);
