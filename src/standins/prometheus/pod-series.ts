import { GIB } from '../../model/quantity.ts';
import type { StandinSeries } from './evaluate.ts';

export type PodScene = {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly node: string;
  /** Last sample, epoch ms. */
  readonly until: number;
  /** What differs from a healthy pod, by name of the series: its values, the last one last, one every 15 s. */
  readonly values?: Readonly<Record<string, readonly number[]>>;
};

const STEP_MS = 15_000;

/** The series that cAdvisor, kube-state-metrics, dcgm-exporter and vLLM have of one pod with one GPU of 80 GB. */
export function podSeries(scene: PodScene): readonly StandinSeries[] {
  return [...containerRows(scene), ...gpuRows(scene), ...engineRows(scene)].map(([name, labels, value]) => {
    const values = scene.values?.[name] ?? [value, value, value, value];
    const points = values.map((v, i) => [scene.until - (values.length - 1 - i) * STEP_MS, v] as const);
    return { labels: { __name__: name, ...labels }, points };
  });
}

function containerRows({ namespace, pod, container, node }: PodScene): readonly Row[] {
  const own = { namespace, pod, container };
  const cgroup = { ...own, id: '/kubepods/a' };
  return [
    ['container_memory_working_set_bytes', cgroup, 20 * GIB],
    ['container_memory_rss', cgroup, 12 * GIB],
    ['container_spec_memory_limit_bytes', cgroup, 64 * GIB],
    ['container_oom_events_total', cgroup, 0],
    ['kube_pod_container_status_restarts_total', own, 1],
    ['kube_pod_container_resource_limits', { ...own, resource: 'memory', unit: 'byte' }, 64 * GIB],
    ['kube_pod_container_resource_limits', { ...own, resource: 'nvidia_com_gpu', unit: 'integer' }, 1],
    ['node_memory_MemAvailable_bytes', { instance: '10.0.0.1:9100', node }, 300 * GIB],
  ];
}

function gpuRows({ namespace, pod, container, node }: PodScene): readonly Row[] {
  const exported = { exported_namespace: namespace, exported_pod: pod, exported_container: container };
  const gpu = { ...exported, Hostname: node, gpu: '0', UUID: 'GPU-0', modelName: 'NVIDIA A100-SXM4-80GB' };
  return [
    ['DCGM_FI_DEV_FB_USED', gpu, 72_000],
    ['DCGM_FI_DEV_FB_FREE', gpu, 8000],
    ['DCGM_FI_DEV_GPU_UTIL', gpu, 55],
    ['DCGM_FI_DEV_GPU_TEMP', gpu, 61],
  ];
}

function engineRows({ namespace, pod, container }: PodScene): readonly Row[] {
  const own = { namespace, pod, container };
  const engine = { ...own, model_name: 'llama', engine: '0', instance: '10.0.0.5:8000', job: 'vllm' };
  const http = { ...engine, handler: '/v1/completions' };
  const buckets = (...pairs: readonly (readonly [string, number])[]) => pairs;
  return [
    ['vllm:num_requests_running', engine, 4],
    ['vllm:num_requests_waiting', engine, 0],
    ['vllm:kv_cache_usage_perc', engine, 0.42],
    ['vllm:num_preemptions_total', engine, 0],
    ['vllm:prefix_cache_queries_total', engine, 9000],
    ['vllm:prefix_cache_hits_total', engine, 3000],
    ['vllm:request_success_total', { ...engine, finished_reason: 'stop' }, 120],
    ['http_requests_total', { ...http, status: '4xx' }, 3],
    ['http_requests_total', { ...http, status: '5xx' }, 1],
    ...histogram('vllm:request_prompt_tokens', engine, buckets(['100', 40], ['1000', 110], ['+Inf', 120])),
    ...histogram('vllm:request_generation_tokens', engine, buckets(['100', 60], ['1000', 119], ['+Inf', 120])),
    ...histogram('vllm:time_to_first_token_seconds', engine, buckets(['0.5', 100], ['5', 118], ['+Inf', 120])),
    ...histogram('vllm:request_queue_time_seconds', engine, buckets(['0.3', 110], ['1', 119], ['+Inf', 120])),
    ...histogram('vllm:e2e_request_latency_seconds', engine, buckets(['5', 90], ['60', 120], ['+Inf', 120])),
  ];
}

type Row = readonly [string, Readonly<Record<string, string>>, number];

function histogram(
  name: string,
  labels: Readonly<Record<string, string>>,
  buckets: readonly (readonly [string, number])[],
): readonly Row[] {
  const count = buckets.at(-1)?.[1] ?? 0;
  return [
    ...buckets.map(([le, value]): Row => [`${name}_bucket`, { ...labels, le }, value]),
    [`${name}_sum`, labels, count * 300],
    [`${name}_count`, labels, count],
  ];
}
