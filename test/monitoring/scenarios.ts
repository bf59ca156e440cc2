/**
 * What each alert is tested on: series of promtool, one sample a minute ("5x9" is ten samples of 5). `LABELS` is
 * where the labels of the pod go. `near` is the same with figures exactly on, or one step below, the threshold.
 */
export type Scenario = {
  readonly alert: string;
  readonly bad: Readonly<Record<string, string>>;
  readonly near: Readonly<Record<string, string>>;
  /** The last one that is silent, the next one on which it fires, and one after the end of the trouble. */
  readonly minutes: readonly [silent: number, fires: number, resolved: number];
  /** Labels of the alert besides `oombot` and those of the pod; of an alert that names no pod all of them. */
  readonly more?: Readonly<Record<string, string>>;
};

const KV = 'vllm:kv_cache_usage_perc{LABELS}';
const RUNNING = 'vllm:num_requests_running{LABELS}';
const WAITING = 'vllm:num_requests_waiting{LABELS}';
const PREEMPTIONS = 'vllm:num_preemptions_total{LABELS}';
const FINISHED = 'vllm:request_success_total{LABELS,finished_reason="stop"}';
const REJECTED = 'http_requests_total{LABELS,status="4xx"}';
const TTFT = (le: string) => `vllm:time_to_first_token_seconds_bucket{LABELS,le="${le}"}`;
const PROMPTS = 'vllm:request_prompt_tokens_count{LABELS}';
const SHORT = 'vllm:request_prompt_tokens_bucket{LABELS,le="10000.0"}';
const FREE = 'DCGM_FI_DEV_FB_FREE{DCGM,gpu="0",UUID="GPU-1"}';
const RSS = 'container_memory_rss{LABELS,container="server",id="/a"}';
const LIMIT = 'container_spec_memory_limit_bytes{LABELS,container="server",id="/a"}';
const RESTARTS = 'kube_pod_container_status_restarts_total{LABELS,container="server"}';
const KILLED = 'kube_pod_container_status_last_terminated_reason{LABELS,container="server",reason="OOMKilled"}';
const OOM_EVENTS = 'container_oom_events_total{LABELS,container="server",id="/a"}';
const PENDING = 'kube_pod_status_phase{LABELS,phase="Pending"}';
const OF_SERVER = { container: 'server' };

export const SCENARIOS: readonly Scenario[] = [
  {
    alert: 'LLMKVCacheBusy',
    bad: { [KV]: '0.5x5 0.91x20 0.5x20', [RUNNING]: '4x60', [WAITING]: '1x60' },
    near: { [KV]: '0.9x60' },
    minutes: [10, 11, 27],
  },
  {
    alert: 'LLMKVCacheFull',
    bad: { [KV]: '0.5x9 0.96x20 0.5x20', [RUNNING]: '4x60', [WAITING]: '1x60', [PREEMPTIONS]: '0+1x60' },
    near: { [PREEMPTIONS]: '7x60' },
    minutes: [11, 12, 31],
  },
  {
    alert: 'LLMQueueTooLong',
    bad: { [RUNNING]: '4x60', [WAITING]: '12x9 13x20 12x20' },
    near: { [WAITING]: '12x60' },
    minutes: [14, 15, 31],
  },
  {
    // The rate is 0 once 5 minutes have passed without a finished request.
    alert: 'LLMNoProgress',
    bad: { [RUNNING]: '4x60', [WAITING]: '3x60', [FINISHED]: '0+5x10 50x15 50+5x30' },
    near: { [FINISHED]: '0+1x60' },
    minutes: [15, 16, 28],
  },
  {
    alert: 'LLMEngineGone',
    bad: { [RUNNING]: '4x9 stale _x19 4x20' },
    near: { [RUNNING]: '4x60' },
    minutes: [12, 13, 31],
  },
  {
    // All requests of 10 minutes take between 10 and 20 seconds, then between 2 and 5.
    alert: 'LLMSlowFirstToken',
    bad: { [TTFT('10')]: '0x30 0+9x40', [TTFT('20')]: '0+9x70', [TTFT('+Inf')]: '0+9x70' },
    near: { [TTFT('10')]: '0+9x70' },
    minutes: [10, 11, 37],
  },
  {
    alert: 'LLMRequestsRejected',
    bad: { [RUNNING]: '4x60', [FINISHED]: '0+94x60', [REJECTED]: '0+6x30 180x30' },
    near: { [FINISHED]: '0+95x60', [REJECTED]: '0+5x60' },
    minutes: [5, 6, 36],
  },
  {
    alert: 'LLMLongPromptSpike',
    bad: { [RUNNING]: '4x200', [PROMPTS]: '0+10x200', [SHORT]: '0+9x89 806+5x40 1015+9x60' },
    near: { [SHORT]: '0+8x200' },
    minutes: [96, 97, 150],
  },
  {
    alert: 'LLMRequestBurst',
    bad: { [RUNNING]: '4x200', [WAITING]: '2x200', [FINISHED]: '0+10x89 900+50x20 1900+10x60' },
    near: { [FINISHED]: '0+10x89 900+29x20 1500+10x60' },
    minutes: [97, 98, 118],
  },
  {
    alert: 'LLMGPUMemoryRunningOut',
    bad: { [RUNNING]: '4x200', [FREE]: '3900x59 3900-50x60 3900x80' },
    near: { [FREE]: '3900x59 3900-1x140' },
    minutes: [80, 81, 123],
  },
  {
    alert: 'LLMContainerNearMemoryLimit',
    bad: { [RSS]: '90x9 91x20 90x20', [LIMIT]: '100x60' },
    near: { [RSS]: '90x60' },
    minutes: [14, 15, 31],
    more: OF_SERVER,
  },
  {
    alert: 'LLMContainerOOMKilled',
    bad: { [RESTARTS]: '0x9 1x40', [KILLED]: '0x9 1x40' },
    near: { [RESTARTS]: '1x60', [KILLED]: '1x60' },
    minutes: [9, 10, 21],
    more: OF_SERVER,
  },
  {
    alert: 'LLMChildOOMKilled',
    bad: { [RESTARTS]: '0x60', [OOM_EVENTS]: '0x9 1x40' },
    near: { [RESTARTS]: '0x9 1x40', [OOM_EVENTS]: '0x9 1x40' },
    minutes: [10, 11, 22],
    more: OF_SERVER,
  },
  {
    alert: 'LLMCrashLooping',
    bad: { [RESTARTS]: '0x4 1x9 2x9 3x50' },
    near: { [RESTARTS]: '0x4 1x19 2x50' },
    minutes: [24, 25, 60],
    more: OF_SERVER,
  },
  {
    alert: 'LLMPodPending',
    bad: { [PENDING]: '1x20 0x20' },
    near: { [PENDING]: '1x9 0x30' },
    minutes: [9, 10, 21],
  },
];

const HPA = 'namespace="NAMESPACE",horizontalpodautoscaler="chat"';
const TARGET = `kube_horizontalpodautoscaler_info{${HPA},scaletargetref_kind="Deployment",scaletargetref_name="vllm-chat"}`;
const REPLICAS = `kube_horizontalpodautoscaler_status_current_replicas{${HPA}}`;
const MAXIMUM = `kube_horizontalpodautoscaler_spec_max_replicas{${HPA}}`;
const UNABLE = `kube_horizontalpodautoscaler_status_condition{${HPA},condition="ScalingActive",status="false"}`;
const OF_HPA = { horizontalpodautoscaler: 'chat', workload: 'vllm-chat' };

/** Each in a namespace of its own, with a pod that belongs to it. */
export const WORKLOAD_SCENARIOS: readonly Scenario[] = [
  {
    alert: 'LLMAutoscalerAtMaximum',
    bad: { [TARGET]: '1x60', [MAXIMUM]: '8x60', [REPLICAS]: '7x9 8x20 7x20', [RUNNING]: '4x60', [WAITING]: '5x60' },
    near: { [WAITING]: '0x60' },
    minutes: [19, 20, 31],
    more: OF_HPA,
  },
  {
    alert: 'LLMAutoscalerFailing',
    bad: { [TARGET]: '1x60', [REPLICAS]: '2x60', [UNABLE]: '0x9 1x20 0x20', [RUNNING]: '4x60', [WAITING]: '5x60' },
    // Scaled to zero, as a mitigation does: the HPA is idle.
    near: { [REPLICAS]: '0x60' },
    minutes: [19, 20, 31],
    more: OF_HPA,
  },
];

const BOT = 'job="oombot",instance="10.0.0.7:3000"';
const OF_BOT = { job: 'oombot', instance: '10.0.0.7:3000' };

/** The bot's own series; `near` is not used: there is one bot. */
export const BOT_SCENARIOS: readonly Omit<Scenario, 'near'>[] = [
  {
    alert: 'OombotDown',
    bad: { [`oombot_info{${BOT},version="1"}`]: '1x9 stale _x19 1x20' },
    minutes: [14, 15, 30],
    more: {},
  },
  {
    alert: 'OombotNotReady',
    bad: { [`oombot_ready{${BOT}}`]: '1x9 0x20 1x20' },
    minutes: [14, 15, 31],
    more: OF_BOT,
  },
  {
    alert: 'OombotMessagesUndelivered',
    bad: { [`oombot_messages_undelivered{${BOT}}`]: '0x9 2x30 0x20' },
    minutes: [24, 25, 41],
    more: OF_BOT,
  },
  {
    alert: 'OombotSlackRefusesMessages',
    bad: { [`oombot_slack_messages_refused_total{${BOT}}`]: '0x9 1x40' },
    minutes: [9, 10, 26],
    more: OF_BOT,
  },
  {
    alert: 'OombotTriagesFail',
    bad: { [`oombot_triages_total{${BOT},outcome="failed",started_by="alert"}`]: '0x9 1x4 2x4 3x60' },
    minutes: [19, 20, 51],
    more: OF_BOT,
  },
  {
    alert: 'OombotAlertsRefused',
    bad: { [`oombot_alert_requests_refused_total{${BOT},reason="unauthorized"}`]: '0x9 1x40' },
    minutes: [14, 15, 26],
    more: OF_BOT,
  },
  {
    alert: 'OombotWatchNoLeader',
    bad: { [`oombot_watch_leader{${BOT},cluster="prod"}`]: '1x9 0x20 1x40' },
    minutes: [14, 15, 31],
    more: { job: 'oombot', cluster: 'prod' },
  },
  {
    alert: 'OombotWatchSilent',
    bad: {
      [`oombot_watch_last_event_timestamp_seconds{${BOT},cluster="prod",namespace="llm"}`]: '0+60x9 600x30 2400+60x20',
    },
    minutes: [30, 31, 41],
    more: { ...OF_BOT, namespace: 'llm', cluster: 'prod' },
  },
];

/** An engine whose KV pool is full, as it is meant to be, on a GPU that is full by design. */
export const FULL_POOL: Readonly<Record<string, string>> = {
  [KV]: '1x120',
  [RUNNING]: '32x120',
  [WAITING]: '0x120',
  [PREEMPTIONS]: '17x120',
  [FINISHED]: '0+40x120',
  [FREE]: '1500x120',
  'DCGM_FI_DEV_FB_USED{DCGM,gpu="0",UUID="GPU-1"}': '79500x120',
  [RSS]: '20x120',
  [LIMIT]: '100x120',
  [RESTARTS]: '1x120',
  [KILLED]: '1x120',
};

/** The same without requests. */
export const IDLE: Readonly<Record<string, string>> = {
  ...FULL_POOL,
  [KV]: '0x120',
  [RUNNING]: '0x120',
  [FINISHED]: '4000x120',
};

/** A bot that is well. */
export const BOT_WELL: Readonly<Record<string, string>> = {
  [`oombot_info{${BOT},version="1"}`]: '1x120',
  [`oombot_ready{${BOT}}`]: '1x120',
  [`oombot_messages_undelivered{${BOT}}`]: '0x120',
  [`oombot_triages_total{${BOT},outcome="done",started_by="person"}`]: '0+1x120',
  [`oombot_watch_last_event_timestamp_seconds{${BOT},cluster="prod",namespace="llm"}`]: '0+60x120',
  [`oombot_watch_leader{${BOT},cluster="prod"}`]: '1x120',
  // The replica that stands by.
  'oombot_watch_leader{job="oombot",instance="10.0.0.8:3000",cluster="prod"}': '0x120',
};

/** What the guides ask for, in their own form with the right names: each fires on a service that is well. */
export const UNCORRECTED = `
groups:
  - name: guides
    rules:
      - alert: GuideGPUMemory
        expr: DCGM_FI_DEV_FB_USED / (DCGM_FI_DEV_FB_USED + DCGM_FI_DEV_FB_FREE) > 0.9
        for: 10m
      - alert: GuideNoSuccess
        expr: rate(vllm:request_success_total[5m]) == 0
        for: 5m
      - alert: GuideKVCache
        expr: vllm:kv_cache_usage_perc > 0.95
        for: 2m
`;
