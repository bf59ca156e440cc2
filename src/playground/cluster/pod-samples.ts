import { valueAt } from '../../model/json-patch.ts';
import type { KubeObject } from '../../standins/api-server/objects/world.ts';
import { GIB, MIB } from '../engine/arithmetic.ts';
import type { Engine, Histogram } from '../engine/engine.ts';
import { usedOf } from '../engine/gpu-memory.ts';
import { residentOf, workingSetOf } from '../engine/host-memory.ts';

/** One sample of a series: name, labels, value. */
export type Sample = readonly [string, Readonly<Record<string, string>>, number];

type Labels = Readonly<Record<string, string>>;

export type SampledPod = {
  readonly pod: KubeObject;
  /** Undefined while the container waits. */
  readonly engine: Engine | undefined;
  readonly oomKills: number;
  readonly container: string;
  readonly gpuProduct: string;
};

/** What cAdvisor, kube-state-metrics, dcgm-exporter and the engine export of a pod (playbooks/platform, playbooks/engines). */
export function samplesOf(sampled: SampledPod): readonly Sample[] {
  const { engine } = sampled;
  return [
    ...stateSamples(sampled),
    ...(engine === undefined ? [] : [...containerSamples(sampled, engine), ...gpuSamples(sampled, engine)]),
    ...(engine?.scheduler === undefined ? [] : engineSamples(sampled.pod, sampled.container, engine)),
  ];
}

/** The engine's own page. */
export function engineSamples(pod: KubeObject, container: string, engine: Engine): readonly Sample[] {
  const { scheduler } = engine;
  if (scheduler === undefined) return [];
  const { modelName } = engine.settings;
  const labels = {
    ...placeOf(pod, container),
    model_name: modelName,
    engine: '0',
    instance: addressOf(pod),
    job: container,
  };
  return container === 'sglang' ? sglangSamples(engine, labels) : vllmSamples(engine, labels);
}

function placeOf({ metadata }: KubeObject, container: string) {
  return { namespace: metadata.namespace ?? '', pod: metadata.name, container };
}

function addressOf(pod: KubeObject): string {
  return `${valueAt(pod, '/status/podIP') ?? '10.0.0.5'}:8000`;
}

function stateSamples({ pod, container }: SampledPod): readonly Sample[] {
  const own = placeOf(pod, container);
  const at = (path: string): unknown => valueAt(pod, path);
  const limits = '/spec/containers/0/resources/limits';
  const restarts = Number(at('/status/containerStatuses/0/restartCount') ?? 0);
  const memory = String(at(`${limits}/memory`) ?? '0');
  const { namespace, pod: name } = own;
  const phase = at('/status/phase');
  return [
    ['kube_pod_container_status_restarts_total', own, restarts],
    ...terminationSamples(pod, own),
    ...PHASES.map(
      (one): Sample => ['kube_pod_status_phase', { namespace, pod: name, phase: one }, one === phase ? 1 : 0],
    ),
    ['kube_pod_container_resource_limits', { ...own, resource: 'memory', unit: 'byte' }, bytesOf(memory)],
    [
      'kube_pod_container_resource_limits',
      { ...own, resource: 'nvidia_com_gpu', unit: 'integer' },
      Number(at(`${limits}/nvidia.com~1gpu`) ?? 1),
    ],
  ];
}

const PHASES = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'];

function terminationSamples(pod: KubeObject, own: Labels): readonly Sample[] {
  const last = valueAt(pod, '/status/containerStatuses/0/lastState/terminated');
  if (last === undefined) return [];
  const { reason, finishedAt } = last as { reason: string; finishedAt: string };
  return [
    ['kube_pod_container_status_last_terminated_reason', { ...own, reason }, 1],
    ['kube_pod_container_status_last_terminated_timestamp', own, Date.parse(finishedAt) / 1000],
  ];
}

function bytesOf(memory: string): number {
  return Number.parseFloat(memory) * (memory.endsWith('Mi') ? MIB : GIB);
}

function containerSamples({ pod, container, oomKills }: SampledPod, { host, hostLimit }: Engine): readonly Sample[] {
  const cgroup = { ...placeOf(pod, container), id: `/kubepods/burstable/pod${pod.metadata.uid}`, node: 'gpu-node-1' };
  return [
    ['container_memory_working_set_bytes', cgroup, workingSetOf(host, hostLimit)],
    ['container_memory_rss', cgroup, residentOf(host) - host.shared - host.pinned],
    ['container_memory_cache', cgroup, Math.min(host.pageCache, hostLimit) + host.shared],
    ['container_spec_memory_limit_bytes', cgroup, hostLimit],
    ['container_oom_events_total', cgroup, oomKills],
  ];
}

function gpuSamples(
  { pod, container, gpuProduct }: SampledPod,
  { gpu, scheduler, settings }: Engine,
): readonly Sample[] {
  const { namespace, pod: name } = placeOf(pod, container);
  const gpus = Number(valueAt(pod, '/spec/containers/0/resources/limits/nvidia.com~1gpu') ?? 1);
  const labelsOf = (index: number) => ({
    exported_namespace: namespace,
    exported_pod: name,
    exported_container: container,
    Hostname: 'gpu-node-1',
    gpu: String(index),
    UUID: `GPU-${pod.metadata.uid}-${index}`,
    modelName: gpuProduct.replaceAll('-', ' '),
  });
  return Array.from({ length: gpus }, (_, index): readonly Sample[] => {
    // Ranks share the model evenly; GPUs without a rank stay empty.
    const isUsed = index < settings.ranks;
    const labels = labelsOf(index);
    const used = isUsed ? usedOf(gpu) : 0;
    const load = isUsed && scheduler !== undefined ? Math.min(100, 4 * scheduler.running) : 0;
    return [
      ['DCGM_FI_DEV_FB_USED', labels, Math.round(used / MIB)],
      ['DCGM_FI_DEV_FB_FREE', labels, Math.round((gpu.total - used) / MIB)],
      ['DCGM_FI_DEV_GPU_UTIL', labels, load],
    ];
  }).flat();
}

function vllmSamples(engine: Engine, labels: Labels): readonly Sample[] {
  const { scheduler, counts, settings, blocks } = engine;
  const cache = {
    ...labels,
    block_size: '16',
    num_gpu_blocks: String(blocks),
    gpu_memory_utilization: String(settings.fraction),
    enable_prefix_caching: settings.prefixCache ? 'True' : 'False',
  };
  const http = { ...labels, handler: '/v1/chat/completions', method: 'POST' };
  return [
    ['vllm:num_requests_running', labels, scheduler?.running ?? 0],
    ['vllm:num_requests_waiting', labels, scheduler?.waiting ?? 0],
    ['vllm:kv_cache_usage_perc', labels, scheduler?.usedShare ?? 0],
    ['vllm:num_preemptions_total', labels, counts.preempted],
    ['vllm:prefix_cache_queries_total', labels, scheduler?.lookedUp ?? 0],
    ['vllm:prefix_cache_hits_total', labels, scheduler?.hits ?? 0],
    ['vllm:prompt_tokens_total', labels, counts.promptTokens],
    ['vllm:generation_tokens_total', labels, counts.generatedTokens],
    ['vllm:cache_config_info', cache, 1],
    ['vllm:request_success_total', { ...labels, finished_reason: 'stop' }, counts.finished],
    ['http_requests_total', { ...http, status: '2xx' }, counts.finished],
    ['http_requests_total', { ...http, status: '4xx' }, counts.rejected],
    ['http_requests_total', { ...http, status: '5xx' }, counts.failed],
    ...histogramSamples('vllm:request_prompt_tokens', labels, counts.prompts),
    ...histogramSamples('vllm:request_generation_tokens', labels, counts.outputs),
    ...histogramSamples('vllm:time_to_first_token_seconds', labels, counts.firstToken),
    ...histogramSamples('vllm:e2e_request_latency_seconds', labels, counts.latency),
  ];
}

function sglangSamples({ scheduler, counts, blocks, lastSecond }: Engine, labels: Labels): readonly Sample[] {
  const share = scheduler?.usedShare ?? 0;
  return [
    ['sglang:num_running_reqs', labels, scheduler?.running ?? 0],
    ['sglang:num_queue_reqs', labels, scheduler?.waiting ?? 0],
    ['sglang:token_usage', labels, share],
    ['sglang:num_used_tokens', labels, Math.round(share * blocks * 16)],
    ['sglang:max_total_num_tokens', labels, blocks * 16],
    ['sglang:gen_throughput', labels, lastSecond?.decodeTokens ?? 0],
    ['sglang:prompt_tokens_total', labels, counts.promptTokens],
    ['sglang:generation_tokens_total', labels, counts.generatedTokens],
    ['sglang:num_requests_total', labels, counts.finished],
    ...histogramSamples('sglang:time_to_first_token_seconds', labels, counts.firstToken),
    ...histogramSamples('sglang:e2e_request_latency_seconds', labels, counts.latency),
  ];
}

function histogramSamples(name: string, labels: Labels, { bounds, counts, sum, count }: Histogram): readonly Sample[] {
  return [
    ...bounds.map((bound, i): Sample => [`${name}_bucket`, { ...labels, le: String(bound) }, counts[i] ?? 0]),
    [`${name}_bucket`, { ...labels, le: '+Inf' }, count],
    [`${name}_sum`, labels, sum],
    [`${name}_count`, labels, count],
  ];
}
