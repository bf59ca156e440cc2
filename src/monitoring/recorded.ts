import { type MetricName, metricExpression, type Read } from './metric-expression.ts';

/** A series that Prometheus computes and that alerts and panels read, whatever the engine calls it. */
export type Recorded = { readonly record: string; readonly expr: string; readonly says: string };

const POD = 'cluster, namespace, pod';
const CONTAINER = `${POD}, container`;
const GPU = `${POD}, gpu, UUID, uuid`;

const rate =
  (window: string) =>
  (selector: string): string =>
    `rate(${selector}[${window}])`;
const ofPods = `and on (${POD}) oombot:inference_pod`;

// Of another program on the same name of a metric, as http_requests_total, the engine's own pods alone count.
const summedRate = (id: MetricName): string => `sum by (${POD}) (${metricExpression(id, rate('5m'))}) ${ofPods}`;
const quantile = (share: number, id: MetricName): string =>
  `histogram_quantile(${share}, sum by (${POD}, le) (${metricExpression(id, rate('5m'), '_bucket')}))`;

const LONG_PROMPT = 10_000;

/** In the order in which they are computed: the first ones are read by those below. */
export function recordedSeries(): readonly Recorded[] {
  return [...pods(), ...requests(), ...memory(), ...workloads()];
}

function pods(): readonly Recorded[] {
  return [
    {
      record: 'oombot:requests_running',
      expr: `sum by (${POD}) (${metricExpression('requests.running')})`,
      says: 'requests in the batch',
    },
    {
      record: 'oombot:inference_pod',
      expr: `group by (${POD}) (${metricExpression('pod.gpus')} > 0) or group by (${POD}) (last_over_time(oombot:requests_running[1h]))`,
      says: 'pods that have a GPU or show the metrics of an engine',
    },
  ];
}

function requests(): readonly Recorded[] {
  // TGI counts tokens: what the requests of its batch may grow to.
  const byTokens = `${metricExpression('kv-cache.used-tokens')} / ${metricExpression('kv-cache.capacity-tokens')}`;
  const long = `le=~"${LONG_PROMPT}([.]0)?"`;
  const prompts = metricExpression('prompt.tokens', rate('10m'), '_count');
  const shortPrompts = metricExpression('prompt.tokens', (bucket) => `rate(${bucket}{${long}}[10m])`, '_bucket');
  const hits = `sum by (${POD}) (${metricExpression('prefix-cache.hits', rate('10m'))})`;
  const queries = `sum by (${POD}) (${metricExpression('prefix-cache.queries', rate('10m'))})`;
  return [
    {
      record: 'oombot:requests_waiting',
      expr: `sum by (${POD}) (${metricExpression('requests.waiting')})`,
      says: 'requests in the queue',
    },
    {
      record: 'oombot:kv_cache_used:ratio',
      expr: `max by (${POD}) (${metricExpression('kv-cache.used-share')} or ${byTokens})`,
      says: 'share of the KV pool in use',
    },
    { record: 'oombot:preemptions:rate5m', expr: summedRate('preemptions'), says: 'preemptions per second' },
    { record: 'oombot:requests_finished:rate5m', expr: summedRate('requests.success'), says: 'requests per second' },
    { record: 'oombot:requests_rejected:rate5m', expr: summedRate('requests.rejected'), says: 'refusals per second' },
    {
      record: 'oombot:generated_tokens:rate5m',
      expr: `${summedRate('generation.token-count')} or ${summedRate('generation.finished-tokens')}`,
      says: 'tokens per second',
    },
    { record: 'oombot:ttft_seconds:p99', expr: quantile(0.99, 'ttft'), says: 'TTFT P99' },
    { record: 'oombot:latency_seconds:p99', expr: quantile(0.99, 'e2e.latency'), says: 'request latency P99' },
    {
      record: 'oombot:long_prompts:ratio',
      expr: `1 - sum by (${POD}) (${shortPrompts}) / (sum by (${POD}) (${prompts}) > 0)`,
      says: `share of prompts longer than ${LONG_PROMPT} tokens`,
    },
    {
      record: 'oombot:prefix_cache_hits:ratio',
      // -1 where prefix caching is off.
      expr: `${hits} / (${queries} > 0) or max by (${POD}) (${metricExpression('prefix-cache.hit-share')} >= 0)`,
      says: 'hit rate of the prefix cache',
    },
  ];
}

function memory(): readonly Recorded[] {
  const ofContainer = (id: MetricName, read?: Read, only = ''): string =>
    `max by (${CONTAINER}) (${metricExpression(id, read)}${only}) ${ofPods}`;
  const ofGpu = (how: 'min' | 'max', id: MetricName): string =>
    `${how} by (${GPU}) (${metricExpression(id)}) ${ofPods}`;
  // Both kinds of exporters show the pause container, and the pod as a whole, without a name.
  const named = (selector: string): string => withMatcher(selector, 'container!="",container!="POD"');
  return [
    {
      record: 'oombot:container_memory_limit:bytes',
      expr: ofContainer('container.memory.limit', named, ' > 0'),
      says: 'memory limit',
    },
    {
      record: 'oombot:container_memory_working_set:bytes',
      expr: ofContainer('container.memory.working-set', named),
      says: 'working set, page cache included',
    },
    {
      record: 'oombot:container_memory_rss:bytes',
      expr: ofContainer('container.memory.rss', named),
      says: 'anonymous memory, which no one can reclaim',
    },
    { record: 'oombot:gpu_memory_used:bytes', expr: ofGpu('max', 'gpu.framebuffer.used'), says: 'GPU memory in use' },
    { record: 'oombot:gpu_memory_free:bytes', expr: ofGpu('min', 'gpu.framebuffer.free'), says: 'GPU memory free' },
    { record: 'oombot:gpu_utilization:ratio', expr: ofGpu('max', 'gpu.utilization'), says: 'GPU utilization' },
    { record: 'oombot:gpu_temperature:celsius', expr: ofGpu('max', 'gpu.temperature'), says: 'GPU temperature' },
    { record: 'oombot:container_restarts', expr: ofContainer('container.restarts'), says: 'restarts' },
    {
      // One container has a series for each time it started.
      record: 'oombot:container_oom_events:increase10m',
      expr: `sum by (${CONTAINER}) (${metricExpression('container.oom-events', (selector) => `increase(${named(selector)}[10m])`)}) ${ofPods}`,
      says: 'OOM kills in the cgroup, children included',
    },
    {
      record: 'oombot:container_oom_killed',
      expr: ofContainer('container.oom-killed', undefined, ' == 1'),
      says: 'the last termination was an OOM kill',
    },
    {
      record: 'oombot:container_terminated:age_seconds',
      expr: `time() - (${ofContainer('container.terminated-at')})`,
      says: 'time since the last termination',
    },
  ];
}

function workloads(): readonly Recorded[] {
  const HPA = 'cluster, namespace, horizontalpodautoscaler';
  const scaler = (id: MetricName): string => `max by (${HPA}) (${metricExpression(id)})`;
  return [
    {
      record: 'oombot:pod_pending',
      expr: `max by (${POD}) (${metricExpression('pod.pending')} == 1) ${ofPods}`,
      says: 'pods that wait for a node with a free GPU',
    },
    {
      record: 'oombot:pod_running',
      expr: `max by (${POD}) (${metricExpression('pod.running')} == 1) ${ofPods}`,
      says: 'pods in phase Running',
    },
    {
      record: 'oombot:autoscaler_at_limit',
      expr: `${scaler('autoscaler.replicas')} >= ${scaler('autoscaler.limit')}`,
      says: 'replicas of an HPA that is at its maximum',
    },
    {
      // Scaled to zero, an HPA is idle by design.
      record: 'oombot:autoscaler_unable',
      expr: `${scaler('autoscaler.unable')} == 1 and ${scaler('autoscaler.replicas')} > 0`,
      says: 'HPAs that cannot read their metric or cannot scale',
    },
    {
      record: 'oombot:autoscaler_target',
      expr: `label_replace(max by (${HPA}, scaletargetref_name) (${metricExpression('autoscaler.target')}), "workload", "$1", "scaletargetref_name", "(.+)")`,
      says: 'workload of an HPA',
    },
  ];
}

function withMatcher(selector: string, matcher: string): string {
  return selector.endsWith('}') ? `${selector.slice(0, -1)},${matcher}}` : `${selector}{${matcher}}`;
}
