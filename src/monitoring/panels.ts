/** One query of a panel; `{{pod}}` in a legend is a label. */
type Query = { readonly expr: string; readonly legend: string };

type Panel = {
  readonly id: string;
  readonly title: string;
  readonly unit: 'bytes' | 'percentunit' | 'short' | 's' | 'celsius' | 'reqps';
  readonly says?: string;
  readonly queries: readonly Query[];
};

// Variables of the dashboard. A workload is the beginning of the names of its pods.
export const OF_NAMESPACE = 'cluster=~"$cluster",namespace=~"$namespace"';
export const OF_WORKLOAD = `${OF_NAMESPACE},pod=~"(\${workload:regex})(-.+)?"`;

const pod = (name: string, legend = '{{pod}}'): Query => ({ expr: `${name}{${OF_WORKLOAD}}`, legend });

export const PANELS = [
  {
    id: 'ram',
    title: 'RAM against limit',
    unit: 'bytes',
    says: 'The working set includes page cache that the kernel can reclaim; anonymous memory cannot be reclaimed.',
    queries: [
      pod('oombot:container_memory_working_set:bytes', '{{pod}} {{container}} working set'),
      pod('oombot:container_memory_rss:bytes', '{{pod}} {{container}} anonymous'),
      pod('oombot:container_memory_limit:bytes', '{{pod}} {{container}} limit'),
    ],
  },
  {
    id: 'gpu-memory',
    title: 'GPU memory',
    unit: 'bytes',
    says: 'An engine takes its share at startup: flat and high is normal. Watch the free rest.',
    queries: [
      pod('oombot:gpu_memory_used:bytes', '{{pod}} GPU {{gpu}} used'),
      pod('oombot:gpu_memory_free:bytes', '{{pod}} GPU {{gpu}} free'),
    ],
  },
  {
    id: 'kv-cache',
    title: 'KV cache in use',
    unit: 'percentunit',
    says: 'A full pool without waiting requests is full use, not a fault.',
    queries: [pod('oombot:kv_cache_used:ratio')],
  },
  {
    id: 'requests',
    title: 'Requests running and waiting',
    unit: 'short',
    queries: [
      pod('oombot:requests_running', '{{pod}} running'),
      pod('oombot:requests_waiting', '{{pod}} waiting'),
      pod('oombot:requests_rejected:rate5m', '{{pod}} rejected per second'),
    ],
  },
  {
    id: 'tokens',
    title: 'Tokens per second',
    unit: 'short',
    queries: [pod('oombot:generated_tokens:rate5m')],
  },
  { id: 'ttft', title: 'TTFT P99', unit: 's', queries: [pod('oombot:ttft_seconds:p99')] },
  { id: 'latency', title: 'Request latency P99', unit: 's', queries: [pod('oombot:latency_seconds:p99')] },
  {
    id: 'preemptions',
    title: 'Preemptions per second',
    unit: 'short',
    queries: [pod('oombot:preemptions:rate5m')],
  },
  {
    id: 'prefix-cache',
    title: 'Prefix cache hits',
    unit: 'percentunit',
    queries: [pod('oombot:prefix_cache_hits:ratio')],
  },
  {
    id: 'long-prompts',
    title: 'Prompts longer than 10,000 tokens',
    unit: 'percentunit',
    queries: [pod('oombot:long_prompts:ratio')],
  },
  {
    id: 'gpu-utilization',
    title: 'GPU utilization',
    unit: 'percentunit',
    queries: [pod('oombot:gpu_utilization:ratio', '{{pod}} GPU {{gpu}}')],
  },
  {
    id: 'gpu-temperature',
    title: 'GPU temperature',
    unit: 'celsius',
    queries: [pod('oombot:gpu_temperature:celsius', '{{pod}} GPU {{gpu}}')],
  },
  { id: 'pending', title: 'Pods waiting for a GPU', unit: 'short', queries: [pod('oombot:pod_pending')] },
  {
    id: 'autoscalers',
    title: 'HPAs at their maximum or unable to scale',
    unit: 'short',
    queries: [
      { expr: `oombot:autoscaler_at_limit{${OF_NAMESPACE}}`, legend: '{{horizontalpodautoscaler}} at maximum' },
      { expr: `oombot:autoscaler_unable{${OF_NAMESPACE}}`, legend: '{{horizontalpodautoscaler}} unable to scale' },
    ],
  },
  {
    id: 'restarts',
    title: 'Container restarts',
    unit: 'short',
    queries: [
      pod('oombot:container_restarts', '{{pod}} {{container}}'),
      pod('oombot:container_oom_events:increase10m', '{{pod}} {{container}} OOM kills in 10 minutes'),
    ],
  },
  {
    id: 'bot',
    title: 'oombot',
    unit: 'short',
    queries: [
      { expr: 'sum by (outcome) (increase(oombot_triages_total[5m]))', legend: 'triages {{outcome}}' },
      { expr: 'oombot_messages_undelivered', legend: 'messages waiting for Slack' },
      {
        expr: 'sum by (reason) (increase(oombot_alert_requests_refused_total[5m]))',
        legend: 'alerts refused: {{reason}}',
      },
      { expr: 'oombot_incidents_open', legend: 'open incidents' },
    ],
  },
] as const satisfies readonly Panel[];

export type PanelId = (typeof PANELS)[number]['id'];

/** Annotations on every panel. */
export const MARKS = [
  {
    name: 'OOM kills',
    color: 'red',
    expr: `oombot:container_oom_killed{${OF_WORKLOAD}} and on (cluster, namespace, pod, container) increase(oombot:container_restarts{${OF_WORKLOAD}}[2m]) > 0`,
  },
  { name: 'Restarts', color: 'orange', expr: `increase(oombot:container_restarts{${OF_WORKLOAD}}[2m]) > 0` },
] as const;

/** The number under which a panel is in the dashboard. */
export function panelNumber(id: PanelId): number {
  return PANELS.findIndex((panel) => panel.id === id) + 1;
}
