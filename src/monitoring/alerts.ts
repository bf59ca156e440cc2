import type { Alert } from './alert.ts';
import { BOT_ALERTS } from './bot-alerts.ts';

const POD = 'on (cluster, namespace, pod)';
const CONTAINER = 'on (cluster, namespace, pod, container)';
const HPA = 'on (cluster, namespace, horizontalpodautoscaler)';
const WAITING = 'oombot:requests_waiting > 0';

/** How full and how busy engines are. KV use alone says nothing: a full pool with an empty queue is full use. */
const LOAD_ALERTS: readonly Alert[] = [
  {
    alert: 'LLMKVCacheBusy',
    of: 'pod',
    expr: `oombot:kv_cache_used:ratio > 0.90 and ${POD} (${WAITING} or ${POD} oombot:preemptions:rate5m > 0)`,
    for: '5m',
    severity: 'warning',
    summary: 'KV cache of {{pod}} is {{share}} full and requests wait.',
    why: 'The pool has a fixed size: more load queues or preempts, it does not use more GPU memory. Add replicas or limit the load.',
    panel: 'kv-cache',
  },
  {
    alert: 'LLMKVCacheFull',
    of: 'pod',
    expr: `oombot:kv_cache_used:ratio > 0.95 and ${POD} ${WAITING} and ${POD} oombot:preemptions:rate5m > 0`,
    for: '2m',
    severity: 'critical',
    summary: 'KV cache of {{pod}} is {{share}} full, requests wait and are preempted.',
    why: 'Preempted requests are computed again. Do not restart the engine: that drops every request and the prefix cache.',
    panel: 'kv-cache',
  },
  {
    alert: 'LLMQueueTooLong',
    of: 'pod',
    expr: `oombot:requests_waiting > 3 * oombot:requests_running and ${POD} ${WAITING}`,
    for: '5m',
    severity: 'warning',
    summary: '{{pod}} has {{value}} waiting requests, more than three times those it runs.',
    why: 'The engine cannot keep up with the load, or it no longer schedules requests.',
    panel: 'requests',
  },
  {
    // An idle engine finishes nothing either, and one that is gone has no counter: see LLMEngineGone.
    alert: 'LLMNoProgress',
    of: 'pod',
    expr: `min_over_time(oombot:requests_waiting[5m]) > 0 and ${POD} oombot:requests_running offset 5m unless ${POD} oombot:requests_finished:rate5m > 0`,
    for: '1m',
    severity: 'critical',
    summary: '{{pod}} has finished no request for 5 minutes while {{value}} or more waited.',
    why: 'The engine hangs, or one step takes minutes. Its log may end with an engine core timeout.',
    panel: 'requests',
  },
  {
    alert: 'LLMEngineGone',
    of: 'pod',
    expr: `last_over_time(oombot:requests_running[1h]) unless ${POD} oombot:requests_running and ${POD} oombot:pod_running`,
    for: '3m',
    severity: 'critical',
    summary: '{{pod}} runs but its engine has shown no metrics for 3 minutes.',
    why: 'The engine died or restarts; a process that is left keeps the pod alive.',
    panel: 'requests',
  },
  {
    alert: 'LLMSlowFirstToken',
    of: 'pod',
    expr: 'oombot:ttft_seconds:p99 > 10',
    for: '10m',
    severity: 'warning',
    summary: 'TTFT P99 of {{pod}} is {{seconds}}.',
    why: 'Prompts wait for a place in the batch, or prefill of long prompts blocks others.',
    panel: 'ttft',
  },
  {
    alert: 'LLMRequestsRejected',
    of: 'pod',
    expr: `oombot:requests_rejected:rate5m / (oombot:requests_rejected:rate5m + oombot:requests_finished:rate5m) > 0.05`,
    for: '5m',
    severity: 'warning',
    summary: '{{pod}} rejects {{share}} of its requests.',
    why: 'Prompts are longer than the model allows, or a limit refuses the load. The engine itself is well.',
    panel: 'requests',
  },
  {
    alert: 'LLMLongPromptSpike',
    of: 'pod',
    expr: `oombot:long_prompts:ratio > 0.2 and ${POD} oombot:long_prompts:ratio > 2 * avg_over_time(oombot:long_prompts:ratio[1h] offset 10m)`,
    for: '5m',
    severity: 'warning',
    summary: '{{share}} of the prompts of {{pod}} are longer than 10,000 tokens, twice the share of the hour before.',
    why: 'Long prompts take prefill activations outside the KV pool: the usual way from load to a CUDA OOM.',
    panel: 'long-prompts',
  },
  {
    alert: 'LLMRequestBurst',
    of: 'pod',
    expr: `oombot:requests_finished:rate5m > 3 * avg_over_time(oombot:requests_finished:rate5m[1h] offset 10m) and ${POD} ${WAITING}`,
    for: '5m',
    severity: 'warning',
    summary: '{{pod}} finishes more than three times the requests of the hour before, and requests wait.',
    why: 'A burst: the queue grows before an autoscaler adds a replica.',
    panel: 'requests',
  },
];

const MEMORY_ALERTS: readonly Alert[] = [
  {
    // An engine fills the GPU by design: only a shrinking rest outside its pool is news. While it loads, the rest shrinks too.
    alert: 'LLMGPUMemoryRunningOut',
    of: 'pod',
    expr: [
      'min by (cluster, namespace, pod) (predict_linear(oombot:gpu_memory_free:bytes[30m], 4 * 3600) < 0',
      'and deriv(oombot:gpu_memory_free:bytes[30m]) < 0 and oombot:gpu_memory_free:bytes < 4 * 2 ^ 30)',
      `and ${POD} oombot:requests_running offset 40m`,
    ].join(' '),
    for: '10m',
    severity: 'warning',
    summary: 'Free GPU memory of {{pod}} shrinks and will be gone within 4 hours.',
    why: 'Something outside the KV pool grows: fragments, a leak, or another process on the GPU.',
    panel: 'gpu-memory',
  },
  {
    alert: 'LLMContainerNearMemoryLimit',
    of: 'pod',
    expr: 'oombot:container_memory_rss:bytes / oombot:container_memory_limit:bytes > 0.9',
    for: '5m',
    severity: 'warning',
    summary: 'Container {{container}} of {{pod}} uses {{share}} of its memory limit, page cache not counted.',
    why: 'Anonymous memory cannot be reclaimed: at the limit the kernel kills the container.',
    panel: 'ram',
  },
  {
    // The reason stays until the next termination, so it counts with a restart alone.
    alert: 'LLMContainerOOMKilled',
    of: 'pod',
    expr: `oombot:container_oom_killed and ${CONTAINER} (increase(oombot:container_restarts[10m]) > 0 or ${CONTAINER} oombot:container_terminated:age_seconds < 600)`,
    for: '0m',
    severity: 'critical',
    summary: 'Container {{container}} of {{pod}} was OOMKilled.',
    why: 'The kernel killed it at its memory limit, or the node ran out of memory.',
    panel: 'restarts',
  },
  {
    alert: 'LLMChildOOMKilled',
    of: 'pod',
    expr: `oombot:container_oom_events:increase10m > 0 unless ${CONTAINER} increase(oombot:container_restarts[10m]) > 0`,
    for: '1m',
    severity: 'critical',
    summary: 'A process in container {{container}} of {{pod}} was OOM-killed and the container did not restart.',
    why: 'PID 1 lives on without a worker: the pod is ready and answers nothing.',
    panel: 'restarts',
  },
  {
    alert: 'LLMCrashLooping',
    of: 'pod',
    expr: 'max_over_time(oombot:container_restarts[30m]) - min_over_time(oombot:container_restarts[30m]) >= 3',
    for: '0m',
    severity: 'critical',
    summary: 'Container {{container}} of {{pod}} restarted {{value}} times in 30 minutes.',
    why: 'It dies again in the same way: triage tells which memory fails and when.',
    panel: 'restarts',
  },
];

const CAPACITY_ALERTS: readonly Alert[] = [
  {
    alert: 'LLMPodPending',
    of: 'pod',
    expr: 'oombot:pod_pending',
    for: '10m',
    severity: 'warning',
    summary: '{{pod}} has been pending for 10 minutes.',
    why: 'No node has a free GPU, or the rollout needs a spare one.',
    panel: 'pending',
  },
  {
    alert: 'LLMAutoscalerAtMaximum',
    of: 'workload',
    expr: `oombot:autoscaler_at_limit * ${HPA} group_left (workload) oombot:autoscaler_target and on (cluster, namespace) ${WAITING}`,
    for: '10m',
    severity: 'warning',
    summary: 'HPA {{hpa}} is at its maximum of {{value}} replicas and requests wait.',
    why: 'It cannot add replicas. Raise the maximum if there are free GPUs.',
    panel: 'autoscalers',
  },
  {
    alert: 'LLMAutoscalerFailing',
    of: 'workload',
    expr: `oombot:autoscaler_unable * ${HPA} group_left (workload) oombot:autoscaler_target and on (cluster, namespace) oombot:inference_pod and on (cluster, namespace) (${WAITING} or on (cluster, namespace) oombot:pod_pending)`,
    for: '10m',
    severity: 'warning',
    summary: 'HPA {{hpa}} cannot read its metric or cannot scale.',
    why: 'Load grows and no replica is added. `kubectl describe hpa` names the reason.',
    panel: 'autoscalers',
  },
];

export const ALERTS: readonly Alert[] = [...LOAD_ALERTS, ...MEMORY_ALERTS, ...CAPACITY_ALERTS, ...BOT_ALERTS];
