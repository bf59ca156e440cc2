/** Two runs of one container, one after the other, as every source tells of them. Times are of one day, in UTC. */
export const UID = '11111111-2222-3333-4444-555555555555';
/** Ids of the runs: the first, the second, and one that no status names. */
export const IDS = { first: 'a'.repeat(64), second: 'b'.repeat(64), before: 'c'.repeat(64) } as const;

const iso = (time: string) => `2026-09-14T${time}Z`;
const POD = 'falcon-7f6c9d8b5-k2x4p';
const NODE = 'gpu-node-3';

type End = { readonly reason: string; readonly exitCode: number; readonly started: string; readonly finished: string };
export const FIRST: End = { reason: 'Error', exitCode: 1, started: '10:00:00', finished: '10:47:15' };
export const SECOND: End = { reason: 'OOMKilled', exitCode: 137, started: '10:47:25', finished: '10:48:21' };

export const ended = (end: End, containerID = `containerd://${IDS.first}`) => ({
  terminated: {
    reason: end.reason,
    exitCode: end.exitCode,
    startedAt: iso(end.started),
    finishedAt: iso(end.finished),
    containerID,
  },
});
export const SECOND_ENDED = ended(SECOND, `containerd://${IDS.second}`);
export const WAITING = { waiting: { reason: 'CrashLoopBackOff' } };
export const RUNNING = { running: { startedAt: iso(SECOND.started) } };

export function aPod(lastState: object, state: object, more: object = {}): string {
  const status = { name: 'engine', restartCount: 2, ready: false, lastState, state, ...more };
  return JSON.stringify({
    kind: 'Pod',
    metadata: { name: POD, uid: UID },
    spec: {
      nodeName: NODE,
      containers: [{ name: 'engine', image: 'vllm/vllm-openai:v0.11.0', resources: { limits: { memory: '48Gi' } } }],
    },
    status: { phase: 'Running', containerStatuses: [status] },
  });
}

/** The status of both ends as `kubectl describe` in another time zone prints it. */
export function described(zone: string, hours: number): string {
  const when = (time: string) => new Date(Date.parse(iso(time)) + hours * 3_600_000).toUTCString().replace('GMT', zone);
  const stateOf = (name: string, { reason, exitCode, started, finished }: End) =>
    `    ${name}:  Terminated\n      Reason:  ${reason}\n      Exit Code:  ${exitCode}\n      Started:  ${when(started)}\n      Finished:  ${when(finished)}\n`;
  return `Name:  ${POD}\nNode:  ${NODE}/10.0.0.3\nStatus:  Running\nContainers:\n  engine:\n    Container ID:  containerd://${IDS.second}\n    Image:  vllm/vllm-openai:v0.11.0\n${stateOf('State', SECOND)}${stateOf('Last State', FIRST)}    Ready:  False\n    Restart Count:  2\n`;
}

/** The same as `kubectl get pod -o yaml`. */
export const AS_YAML = `apiVersion: v1
kind: Pod
metadata:
  name: ${POD}
spec:
  nodeName: ${NODE}
  containers:
  - name: engine
    image: vllm/vllm-openai:v0.11.0
status:
  phase: Running
  containerStatuses:
  - name: engine
    restartCount: 2
    lastState:
      terminated:
        containerID: containerd://${IDS.first}
        exitCode: 1
        finishedAt: "${iso(FIRST.finished)}"
        reason: Error
        startedAt: "${iso(FIRST.started)}"
    state:
      terminated:
        containerID: containerd://${IDS.second}
        exitCode: 137
        finishedAt: "${iso(SECOND.finished)}"
        reason: OOMKilled
        startedAt: "${iso(SECOND.started)}"
`;

const group = (id: string) =>
  `/kubepods.slice/kubepods-pod${UID.replaceAll('-', '_')}.slice/cri-containerd-${id}.scope`;

/** A kill at the limit of a run, each line headed by `when`. */
export function kernelKill(id: string, when: string): string {
  const lines = [
    `oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),oom_memcg=${group(id)},task_memcg=${group(id)},task=VLLM::EngineCor,pid=7731,uid=0`,
    'Memory cgroup out of memory: Killed process 7731 (VLLM::EngineCor) total-vm:90000000kB, anon-rss:49000000kB, file-rss:1204kB, shmem-rss:88kB, UID:0',
  ];
  return lines.map((line) => `${when} ${line}\n`).join('');
}

/** The same as a detector of problems on the node makes an event of it. */
export function killEvent(time: string): string {
  const message =
    'Memory cgroup out of memory: Killed process 7731 (VLLM::EngineCor) total-vm:9kB, anon-rss:49000000kB, file-rss:1kB, shmem-rss:0kB';
  const event = {
    reason: 'OOMKilling',
    message,
    involvedObject: { kind: 'Node', name: NODE },
    lastTimestamp: iso(time),
  };
  return JSON.stringify([event]);
}

/** How a log bears its times: by the engine, by the engine in a zone two hours on, by `kubectl logs --timestamps`, the same with a zone, or not at all. */
export type Dated = 'engine' | 'engine+2' | 'kubectl' | 'kubectl+2' | 'undated';

function head(dated: Dated, time: string): string {
  if (dated === 'undated') return 'INFO ';
  const later = new Date(Date.parse(iso(time)) + 2 * 3_600_000).toISOString();
  const shown = dated === 'engine+2' ? later : iso(time);
  const engine = `INFO ${shown.slice(5, 10)} ${shown.slice(11, 19)} [x.py:1] `;
  if (dated === 'kubectl') return `${iso(time).replace('Z', '.123456789Z')} ${engine}`;
  return dated === 'kubectl+2' ? `${later.replace('.000Z', '.123456789+02:00')} ${engine}` : engine;
}

const BANNER = 'vLLM API server version 0.11.0';
const LOADS = 'Starting to load model acme/falcon-9b...';
const UP = 'init engine (profile, create kv cache, warmup model) took 52.30 seconds';
const SERVED = 'INFO:     10.1.2.3:40412 - "POST /v1/chat/completions HTTP/1.1" 200 OK';
const OOM =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.38 GiB. GPU 0 has a total capacity of 44.39 GiB of which 203.50 MiB is free.';
const frame = (name: string) => `  File "/vllm/v1/worker/gpu_model_runner.py", line 2401, in ${name}`;

const logOf = (dated: Dated, rows: readonly (readonly [string, string])[]) =>
  rows.map(([time, text]) => `${head(dated, time)}${text}\n`).join('');

const START = [
  ['10:00:02', BANNER],
  ['10:00:30', LOADS],
  ['10:02:05', UP],
  ['10:02:09', 'INFO:     Application startup complete.'],
  ['10:03:09', SERVED],
] as const;

/** The first run: it served, and came to its end without a word of its own. */
export const calm = (dated: Dated = 'engine') => logOf(dated, START);
/** The first run, that lacked GPU memory while it served. */
export const lackedGpu = (dated: Dated = 'engine') =>
  logOf(dated, [...START, ['10:47:10', frame('execute_model')], ['10:47:10', OOM]]);
/** The second run, that was loading. */
export const loading = (dated: Dated = 'engine') =>
  logOf(dated, [
    ['10:47:26', BANNER],
    ['10:47:30', LOADS],
  ]);
/** The second run, that lacked GPU memory while it loaded. */
export const lackedGpuLoading = (dated: Dated = 'engine') =>
  logOf(dated, [
    ['10:47:26', BANNER],
    ['10:47:30', LOADS],
    ['10:48:19', frame('load_model')],
    ['10:48:19', OOM],
  ]);
