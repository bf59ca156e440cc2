import { valueAt } from '../../model/json-patch.ts';
import { parseQuantity } from '../../model/quantity.ts';
import { podWord } from '../../standins/api-server/objects/pod-word.ts';
import type { KubeObject } from '../../standins/api-server/objects/world.ts';
import { GIB } from '../engine/arithmetic.ts';
import type { Engine, EngineStage } from '../engine/engine.ts';
import type { EngineService } from '../engine/engine-service.ts';
import { type GpuMemory, usedOf } from '../engine/gpu-memory.ts';
import { workingSetOf } from '../engine/host-memory.ts';
import { GPUS } from '../engine/models.data.ts';
import { shownArgs } from './service-objects.ts';

/** What the page draws. Times are epoch ms, memory is in bytes. */
export type ClusterState = { readonly at: number; readonly services: readonly ServiceState[] };

export type ServiceState = {
  readonly namespace: string;
  readonly name: string;
  readonly kind: string;
  readonly replicas: { readonly wanted: number; readonly ready: number };
  /** Arguments of the pod template now, the model left out. */
  readonly args: readonly string[];
  readonly memoryLimit: number;
  readonly requests: {
    readonly perSecond: number;
    readonly running: number;
    readonly waiting: number;
    /** Since the scenario began. */
    readonly finished: number;
    readonly failed: number;
  };
  readonly pods: readonly PodState[];
};

export type PodState = {
  readonly name: string;
  readonly uid: string;
  /** As the STATUS column of `kubectl get pods`: `Running`, `CrashLoopBackOff`, `Terminating`. */
  readonly status: string;
  readonly ready: boolean;
  readonly stage: EngineStage;
  readonly restarts: number;
  readonly lastDeath: { readonly reason: string; readonly exitCode: number; readonly at: number } | undefined;
  /** The parts add up to `used`. */
  readonly gpu: { readonly total: number; readonly used: number; readonly parts: readonly GpuPart[] };
  readonly ram: { readonly limit: number; readonly used: number };
  readonly running: number;
  readonly waiting: number;
  /** 0 to 1. */
  readonly kvUsedShare: number;
};

export type GpuPart = {
  readonly name:
    | 'other process'
    | 'context'
    | 'weights'
    | 'KV cache'
    | 'activations'
    | 'CUDA graphs'
    | 'fragments'
    | 'leaked';
  readonly bytes: number;
};

export function podState(pod: KubeObject, service: EngineService, engine: Engine | undefined): PodState {
  const at = (path: string): unknown => valueAt(pod, path);
  const death = at('/status/containerStatuses/0/lastState/terminated') as
    | { reason: string; exitCode: number; finishedAt: string }
    | undefined;
  const limit = parseQuantity(String(at('/spec/containers/0/resources/limits/memory') ?? '')) ?? 0;
  const total = (GPUS[service.gpu]?.totalGib ?? 0) * GIB;
  return {
    name: pod.metadata.name,
    uid: pod.metadata.uid,
    status: podWord(pod),
    ready: at('/status/containerStatuses/0/ready') === true,
    stage: engine?.stage ?? 'waiting',
    restarts: Number(at('/status/containerStatuses/0/restartCount') ?? 0),
    lastDeath: death && { reason: death.reason, exitCode: death.exitCode, at: Date.parse(death.finishedAt) },
    gpu: { total, used: engine ? usedOf(engine.gpu) : 0, parts: engine ? partsOf(engine.gpu) : [] },
    ram: { limit, used: engine ? workingSetOf(engine.host, engine.hostLimit) : 0 },
    running: engine?.scheduler?.running ?? 0,
    waiting: engine?.scheduler?.waiting ?? 0,
    kvUsedShare: engine?.scheduler?.usedShare ?? 0,
  };
}

function partsOf(gpu: GpuMemory): readonly GpuPart[] {
  const parts: readonly GpuPart[] = [
    { name: 'other process', bytes: gpu.other },
    { name: 'context', bytes: gpu.context },
    { name: 'weights', bytes: gpu.weights },
    { name: 'KV cache', bytes: gpu.pool },
    { name: 'activations', bytes: gpu.activations },
    { name: 'CUDA graphs', bytes: gpu.graphs },
    { name: 'fragments', bytes: gpu.fragments },
    { name: 'leaked', bytes: gpu.leaked },
  ];
  return parts.filter(({ bytes }) => bytes > 0);
}

type Workload = {
  readonly service: EngineService;
  readonly workload: KubeObject | undefined;
  readonly pods: readonly PodState[];
  readonly perSecond: number;
  readonly finished: number;
  readonly failed: number;
};

export function serviceState({ service, workload, pods, ...counts }: Workload): ServiceState {
  const container = '/spec/template/spec/containers/0';
  const words = valueAt(workload, `${container}/args`);
  const sum = (of: (pod: PodState) => number): number => pods.reduce((total, pod) => total + of(pod), 0);
  return {
    namespace: service.namespace,
    name: service.name,
    kind: service.kind,
    replicas: {
      wanted: Number(valueAt(workload, '/spec/replicas') ?? 0),
      ready: pods.filter(({ ready, status }) => ready && status !== 'Terminating').length,
    },
    args: shownArgs(Array.isArray(words) ? words.map(String) : []),
    memoryLimit: parseQuantity(String(valueAt(workload, `${container}/resources/limits/memory`) ?? '')) ?? 0,
    requests: { ...counts, running: sum(({ running }) => running), waiting: sum(({ waiting }) => waiting) },
    pods,
  };
}
