import { aDeployment, aPod, NOW } from '../api-server/objects/builders.ts';
import type { ContainerOptions, DeathOptions } from '../api-server/objects/container-builder.ts';
import { aNode, anEvent } from '../api-server/objects/surroundings.ts';
import { type ApiWorld, aWorld, type KubeObject, type LogLine } from '../api-server/objects/world.ts';
import {
  vllmCudaOom,
  vllmDead,
  vllmKvRoom,
  vllmLines,
  vllmLoad,
  vllmLoadOom,
  vllmServe,
  vllmStart,
} from './vllm-log.ts';

const MINUTE = 60_000;
const POD = 'vllm-server-7d8f6f9c6b-4mnl2';
const NAMESPACE = 'llm';

/** The pod that all scenarios are about: `llm/vllm-server-7d8f6f9c6b-4mnl2` of the Deployment `vllm-server`. */
export const SCENARIO_POD = { namespace: NAMESPACE, pod: POD, container: 'vllm', node: 'gpu-node-1' } as const;

const SERVICE: KubeObject = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'vllm-server', namespace: NAMESPACE, uid: 'uid-svc-vllm-server' },
  spec: { selector: { app: 'vllm-server' }, ports: [{ port: 80, targetPort: 8000 }] },
};

type Scene = {
  readonly container: ContainerOptions;
  readonly template?: ContainerOptions;
  readonly before?: ContainerOptions;
  readonly previous?: readonly LogLine[];
  readonly current?: readonly LogLine[];
  readonly events?: (pod: KubeObject) => readonly KubeObject[];
  readonly createdAt: number;
  readonly now: number;
};

function scene({ container, template = {}, before, previous, current, events, createdAt, now }: Scene): ApiWorld {
  const labels = { app: 'vllm-server' };
  const { all, replicaSet } = aDeployment({ labels, now, template: [template], ...(before && { before: [before] }) });
  const pod = aPod({
    name: POD,
    labels: { ...labels, 'pod-template-hash': '7d8f6f9c6b' },
    owner: replicaSet,
    createdAt,
    containers: [container],
  });
  const place = { namespace: NAMESPACE, pod: POD, container: 'vllm' };
  return aWorld({
    objects: [pod, all, SERVICE, aNode(), events?.(pod) ?? []],
    logs: [
      ...(previous === undefined ? [] : [{ ...place, instance: 'previous' as const, lines: previous }]),
      ...(current === undefined ? [] : [{ ...place, instance: 'current' as const, lines: current }]),
    ],
  });
}

// In CrashLoopBackOff the kubelet serves the log of the last instance without `previous` as well.
function crashLoop(lastDeath: DeathOptions, restarts: number): ContainerOptions {
  return { waiting: 'CrashLoopBackOff', restarts, lastDeath };
}

function backOff(now: number) {
  return (pod: KubeObject): KubeObject[] => [
    anEvent({
      about: pod,
      reason: 'BackOff',
      message: `Back-off restarting failed container vllm in pod ${POD}_${NAMESPACE}`,
      at: now - MINUTE,
      count: 6,
      container: 'vllm',
    }),
  ];
}

/** Container RAM ran out while it served: OOMKilled, exit 137, a log that ends in silence. */
export function oomKilledWorld(now = NOW): ApiWorld {
  const startedAt = now - 50 * MINUTE;
  const finishedAt = now - 4 * MINUTE;
  const log = [...vllmStart(startedAt), ...vllmServe(startedAt + 95_000, { until: finishedAt - 1000 })];
  const args = ['--model', 'meta-llama/Llama-3.1-8B-Instruct', '--max-model-len', '32768', '--swap-space', '32'];
  const container = { memory: '32Gi', args };
  return scene({
    now,
    createdAt: startedAt - MINUTE,
    container: { ...container, ...crashLoop({ reason: 'OOMKilled', exitCode: 137, startedAt, finishedAt }, 3) },
    template: container,
    before: { memory: '64Gi', args },
    previous: log,
    current: log,
    events: backOff(now),
  });
}

/** GPU memory ran out under load: the engine core dies of it, exit 1. */
export function cudaOomWorld(now = NOW): ApiWorld {
  const startedAt = now - 40 * MINUTE;
  const finishedAt = now - 3 * MINUTE;
  const oomAt = finishedAt - 3000;
  const serving = vllmServe(startedAt + 95_000, { until: oomAt, running: 96, kv: '88.2' });
  const log = [...vllmStart(startedAt), ...serving, ...vllmCudaOom(oomAt)];
  return scene({
    now,
    createdAt: startedAt - MINUTE,
    container: crashLoop({ reason: 'Error', exitCode: 1, startedAt, finishedAt }, 2),
    previous: log,
    current: log,
    events: backOff(now),
  });
}

/** The KV cache has no room for one sequence of the maximum length: refused at the start, again and again. */
export function kvRoomWorld(now = NOW): ApiWorld {
  const startedAt = now - 3 * MINUTE;
  const finishedAt = startedAt + 50_000;
  const maxModelLen = 131_072;
  const log = [...vllmLoad(startedAt, { maxModelLen }), ...vllmKvRoom(startedAt + 46_000, maxModelLen)];
  const args = ['--model', 'meta-llama/Llama-3.1-8B-Instruct', '--max-model-len', String(maxModelLen)];
  args.push('--gpu-memory-utilization', '0.92');
  return scene({
    now,
    createdAt: startedAt - 20 * MINUTE,
    container: { args, ...crashLoop({ reason: 'Error', exitCode: 1, startedAt, finishedAt }, 5) },
    template: { args },
    previous: log,
    current: log,
    events: backOff(now),
  });
}

/** No memory at all: the liveness probe kills the engine while it still loads weights. */
export function probeKilledWorld(now = NOW): ApiWorld {
  const startedAt = now - 4 * MINUTE;
  const finishedAt = startedAt + 90_000;
  const probes = {
    livenessProbe: { httpGet: { path: '/health', port: 8000 }, periodSeconds: 10, failureThreshold: 3 },
  };
  const log = [
    ...vllmLoad(startedAt).slice(0, 8),
    ...vllmLines(finishedAt - 31_000, ['(APIServer pid=1) INFO:     Shutting down']),
  ];
  return scene({
    now,
    createdAt: startedAt - 10 * MINUTE,
    container: { probes, ...crashLoop({ reason: 'Error', exitCode: 137, startedAt, finishedAt }, 4) },
    template: { probes },
    previous: log,
    current: log,
    events: (pod) => [
      ...backOff(now)(pod),
      anEvent({
        about: pod,
        reason: 'Unhealthy',
        message:
          'Liveness probe failed: Get "http://10.0.0.5:8000/health": dial tcp 10.0.0.5:8000: connect: connection refused',
        at: finishedAt - 31_000,
        count: 3,
        container: 'vllm',
      }),
      anEvent({
        about: pod,
        reason: 'Killing',
        message: 'Container vllm failed liveness probe, will be restarted',
        at: finishedAt - 30_000,
        type: 'Normal',
        container: 'vllm',
      }),
    ],
  });
}

/** Both in sequence: CUDA OOM kills the engine core, and the reload that follows takes the container over its RAM limit. */
export function bothInSequenceWorld(now = NOW): ApiWorld {
  const startedAt = now - 45 * MINUTE;
  const oomAt = now - 6 * MINUTE;
  const finishedAt = now - 4 * MINUTE;
  const serving = vllmServe(startedAt + 95_000, { until: oomAt, running: 120, kv: '91.0' });
  const reload = vllmLoad(oomAt + 20_000).slice(5);
  const log = [...vllmStart(startedAt), ...serving, ...vllmCudaOom(oomAt).slice(0, 9), ...reload];
  const container = { memory: '24Gi' };
  return scene({
    now,
    createdAt: startedAt - MINUTE,
    container: { ...container, ...crashLoop({ reason: 'OOMKilled', exitCode: 137, startedAt, finishedAt }, 2) },
    template: container,
    previous: log,
    current: log,
    events: backOff(now),
  });
}

/**
 * Both across a restart: each instance of the container ended of another memory, and only its own log and status tell. `first`
 * is what the one before ended of.
 */
export function bothAcrossRestartWorld(first: 'gpu' | 'ram', now = NOW): ApiWorld {
  const startedAt = now - 45 * MINUTE;
  const restartedAt = now - 6 * MINUTE;
  const ends = { gpu: { reason: 'Error', exitCode: 1 }, ram: { reason: 'OOMKilled', exitCode: 137 } };
  const second = first === 'gpu' ? 'ram' : 'gpu';
  const served = vllmServe(startedAt + 95_000, { until: restartedAt - 5000, running: 120, kv: '91.0' });
  const previous = [...vllmStart(startedAt), ...served, ...(first === 'gpu' ? vllmCudaOom(restartedAt - 5000) : [])];
  const current = [...vllmLoad(restartedAt), ...(second === 'gpu' ? vllmLoadOom(restartedAt + 41_000) : [])];
  const container = { memory: '24Gi' };
  return scene({
    now,
    createdAt: startedAt - MINUTE,
    container: {
      ...container,
      restarts: 1,
      lastDeath: { ...ends[first], startedAt, finishedAt: restartedAt - 2000 },
      ended: { ...ends[second], startedAt: restartedAt, finishedAt: restartedAt + 45_000 },
    },
    template: container,
    previous,
    current,
    events: backOff(now),
  });
}

/** CUDA OOM kills the engine core, the API server goes on: `/health` answers 200, requests get 500, the pod stays Ready. */
export function deadEngineWorld(now = NOW): ApiWorld {
  const startedAt = now - 50 * MINUTE;
  const oomAt = now - 6 * MINUTE;
  const serving = vllmServe(startedAt + 95_000, { until: oomAt, running: 96, kv: '88.2' });
  return scene({
    now,
    createdAt: startedAt - MINUTE,
    container: { runningSince: startedAt },
    current: [...vllmStart(startedAt), ...serving, ...vllmCudaOom(oomAt, { exits: false }), ...vllmDead(oomAt, now)],
  });
}

/** All is well: ready, never restarted, and a KV pool that is full, as it is under a steady load. */
export function healthyWorld(now = NOW): ApiWorld {
  const startedAt = now - 300 * MINUTE;
  const serving = vllmServe(startedAt + 95_000, { until: now, running: 14, kv: '97.0' });
  return scene({
    now,
    createdAt: startedAt - MINUTE,
    container: { runningSince: startedAt },
    current: [...vllmStart(startedAt), ...serving],
  });
}
