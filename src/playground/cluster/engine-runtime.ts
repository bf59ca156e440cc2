import { valueAt } from '../../model/json-patch.ts';
import { parseQuantity } from '../../model/quantity.ts';
import type { ContainerRuntime } from '../../standins/api-server/life/container-process.ts';
import type { KubeObject } from '../../standins/api-server/objects/world.ts';
import { GIB } from '../engine/arithmetic.ts';
import { createEngine } from '../engine/create-engine.ts';
import type { Engine } from '../engine/engine.ts';
import type { EngineService } from '../engine/engine-service.ts';
import { usedOf } from '../engine/gpu-memory.ts';

/** The engines that run in the pods, by uid of the pod. */
export type EngineRuntime = {
  readonly start: ContainerRuntime;
  /** Undefined while the container waits. */
  engineOf(pod: KubeObject): Engine | undefined;
  serviceOf(pod: KubeObject): EngineService | undefined;
  /** Requests of all engines of a service so far. */
  tally(service: EngineService): { readonly finished: number; readonly failed: number };
  /** Bytes of the node's RAM that other pods leave for a service at a time, epoch ms. */
  nodeLeft(service: EngineService, now: number): number;
  readonly oomKills: ReadonlyMap<string, number>;
};

const MINUTE_MS = 60_000;

/** Starts the engine that a pod's container asks for: its arguments, variables and limit as they are in the pod. `begunAt` is minute 0. */
export function createEngineRuntime(services: readonly EngineService[], begunAt: number): EngineRuntime {
  const engines = new Map<string, Engine>();
  // Those that have ended too, for what they counted.
  const started = new Map<EngineService, Engine['counts'][]>();
  const pods = new Map<EngineService, string[]>();
  // Each pod has a GPU of its own, in the order of their starts.
  const indexOf = (service: EngineService, uid: string): number => {
    const known = pods.get(service) ?? [];
    if (!known.includes(uid)) pods.set(service, [...known, uid]);
    return known.includes(uid) ? known.indexOf(uid) : known.length;
  };
  // What a killed process still holds of the GPU.
  const lingering = new Map<string, { readonly gib: number; readonly until: number }>();
  const sharedLeft = new Map<string, number>();
  const oomKills = new Map<string, number>();
  const serviceOf = ({ metadata }: KubeObject): EngineService | undefined =>
    services.find(({ name, namespace }) => name === metadata.labels?.app && namespace === metadata.namespace) ??
    services.find(({ name, namespace }) => metadata.name.startsWith(`${name}-`) && namespace === metadata.namespace);
  const nodeLeft = (service: EngineService, now: number): number =>
    nodeLeftGib(service, (now - begunAt) / MINUTE_MS) * GIB;
  return {
    oomKills,
    nodeLeft,
    serviceOf,
    tally(service) {
      const counts = started.get(service) ?? [];
      const sum = (of: 'finished' | 'failed'): number => counts.reduce((total, one) => total + one[of], 0);
      return { finished: sum('finished'), failed: sum('failed') };
    },
    engineOf: ({ metadata }) => engines.get(metadata.uid),
    start(pod, startedAt) {
      const { uid } = pod.metadata;
      const service = serviceOf(pod);
      if (service === undefined) throw new Error(`no engine for the pod ${pod.metadata.name}`);
      const engine = createEngine({
        service,
        ...containerOf(pod),
        startedAt,
        otherGib: (now) =>
          otherGib(service, { minute: (now - begunAt) / MINUTE_MS, pod: indexOf(service, uid) }) +
          (now < (lingering.get(uid)?.until ?? 0) ? (lingering.get(uid)?.gib ?? 0) : 0),
        sharedLeft: sharedLeft.get(uid) ?? 0,
        nodeLeft: (now) => nodeLeft(service, now),
      });
      engines.set(uid, engine);
      started.set(service, [...(started.get(service) ?? []), engine.counts]);
      return {
        run(now) {
          const heldGib = usedOf(engine.gpu) / GIB;
          const exit = engine.run(now);
          if (exit === undefined) return undefined;
          engines.delete(uid);
          const left = (service.faults?.sharedMemoryLeftGib ?? 0) * GIB;
          sharedLeft.set(uid, (sharedLeft.get(uid) ?? 0) + left);
          const held = service.faults?.gpuHeldSeconds ?? 0;
          if (exit.exitCode === 137) lingering.set(uid, { gib: heldGib, until: exit.at + held * 1000 });
          if (exit.reason === 'OOMKilled') oomKills.set(uid, (oomKills.get(uid) ?? 0) + 1);
          return exit;
        },
        get ready() {
          return engine.isReady();
        },
        log: engine.log,
        stop: () => engines.delete(uid),
      };
    },
  };
}

function otherGib({ otherProcess: other }: EngineService, { minute, pod }: { minute: number; pod: number }): number {
  if (other === undefined || minute < other.fromMinute || pod >= (other.pods ?? pod + 1)) return 0;
  return minute < (other.toMinute ?? Number.POSITIVE_INFINITY) ? other.gib : 0;
}

/** GiB of the node's RAM that its other pods leave for a service; no end of it unless the scenario tells. */
export function nodeLeftGib({ node }: EngineService, minute: number): number {
  if (node === undefined) return Number.POSITIVE_INFINITY;
  return node.ramGib - (minute < node.fromMinute ? 0 : node.othersGib);
}

// What the container runtime gives a container without a volume there.
const PLAIN_SHARED_MEMORY = '64Mi';

/** What a pod gives its engine: arguments, variables and limits, bytes. */
export function containerOf(pod: KubeObject) {
  const at = (path: string): unknown => valueAt(pod, `/spec/containers/0/${path}`);
  const words = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
  const env = at('env');
  const variables = (Array.isArray(env) ? env : []) as { name: string; value?: string }[];
  return {
    args: [...words(at('command')), ...words(at('args'))],
    env: Object.fromEntries(variables.map(({ name, value = '' }) => [name, value])),
    sharedLimit: parseQuantity(sharedMemoryOf(pod) ?? PLAIN_SHARED_MEMORY) ?? 0,
    hostLimit: parseQuantity(String(at('resources/limits/memory') ?? '')) ?? Number.POSITIVE_INFINITY,
  };
}

function sharedMemoryOf(pod: KubeObject): string | undefined {
  const mounts = (valueAt(pod, '/spec/containers/0/volumeMounts') ?? []) as { name: string; mountPath: string }[];
  const mount = mounts.find(({ mountPath }) => mountPath === '/dev/shm');
  const volumes = (valueAt(pod, '/spec/volumes') ?? []) as { name: string; emptyDir?: { sizeLimit?: string } }[];
  return volumes.find(({ name }) => name === mount?.name)?.emptyDir?.sizeLimit;
}
