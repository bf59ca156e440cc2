import { valueAt } from '../../model/json-patch.ts';
import type { ClusterInMemory } from '../../standins/api-server/cluster-in-memory.ts';
import type { KubeObject } from '../../standins/api-server/objects/world.ts';
import { GIB } from '../engine/arithmetic.ts';
import type { EngineService } from '../engine/engine-service.ts';
import { emptyHost, residentOf } from '../engine/host-memory.ts';
import { GPUS } from '../engine/models.data.ts';
import type { TrafficShape } from '../engine/traffic.ts';
import { type ClusterState, podState, serviceState } from './cluster-state.ts';
import { createTraffic, type Traffic } from './create-traffic.ts';
import type { EngineRuntime } from './engine-runtime.ts';
import { engineSamples, type Sample, samplesOf } from './pod-samples.ts';
import { createSeriesRecord, type SeriesRecord } from './series-record.ts';
import { NODE } from './service-objects.ts';

/** Something that looks at the cluster each second: another team's controller, or people who send requests. */
export type Controller = (scene: ControllerScene, now: number) => void;

export type ControllerScene = {
  readonly storage: ClusterInMemory['storage'];
  readonly traffic: ReadonlyMap<string, Traffic>;
};

/** Engines, their requests, and what is measured of them. */
export type SimulatedCluster = {
  readonly record: SeriesRecord;
  readonly traffic: ReadonlyMap<string, Traffic>;
  /** Multiplies the requests of all services. */
  trafficFactor: number;
  /** Second by second. */
  advance(ms: number): void;
  state(): ClusterState;
  /** What all exporters and engines show now. */
  samples(): readonly Sample[];
  /** The engine's own page in a pod; undefined if nothing answers there. */
  engineSamples(pod: string): readonly Sample[] | undefined;
};

export type SimulatedParts = {
  readonly cluster: ClusterInMemory;
  readonly runtime: EngineRuntime;
  readonly services: readonly EngineService[];
  readonly shapes: Readonly<Record<string, TrafficShape>>;
  readonly controllers: readonly Controller[];
};

// Of a node whose RAM is no part of the scenario.
const PLENTY = 300 * GIB;
const SECOND_MS = 1000;
const SCRAPE_MS = 15_000;

export function createSimulatedCluster(parts: SimulatedParts): SimulatedCluster {
  const { cluster, runtime, services, shapes, controllers } = parts;
  const { world } = cluster.storage;
  const record = createSeriesRecord();
  const traffic = new Map(services.map(({ name }) => [name, createTraffic(shapes[name])]));
  // Requests that no pod took.
  const refused = new Map<EngineService, number>();
  let left = 0;
  const podsOf = (service: EngineService): KubeObject[] =>
    world.objects.filter((one) => one.kind === 'Pod' && runtime.serviceOf(one) === service);

  const deliver = (service: EngineService, now: number): void => {
    const requests = traffic.get(service.name)?.second(now, simulated.trafficFactor) ?? [];
    const ready = podsOf(service).filter(isInService);
    if (ready.length === 0) refused.set(service, (refused.get(service) ?? 0) + requests.length);
    for (const [i, request] of requests.entries()) {
      const pod = ready[i % ready.length];
      if (pod !== undefined) runtime.engineOf(pod)?.offer(request);
    }
  };

  const second = (): void => {
    const now = cluster.now();
    for (const service of services) deliver(service, now);
    for (const controller of controllers) controller({ storage: cluster.storage, traffic }, now);
    cluster.advance(SECOND_MS);
    if (Math.floor(cluster.now() / SCRAPE_MS) !== Math.floor(now / SCRAPE_MS))
      record.add(cluster.now(), simulated.samples());
  };

  const nodeAvailable = (): number => {
    const left = Math.min(...services.map((service) => runtime.nodeLeft(service, cluster.now())));
    const used = services
      .flatMap(podsOf)
      .reduce((sum, pod) => sum + residentOf(runtime.engineOf(pod)?.host ?? emptyHost()), 0);
    return Math.max(0, Math.min(left, PLENTY) - used);
  };

  const samplesOfPods = (pods: readonly KubeObject[]): readonly Sample[] =>
    pods.flatMap((pod) => {
      const service = runtime.serviceOf(pod);
      if (service === undefined) return [];
      return samplesOf({
        pod,
        engine: runtime.engineOf(pod),
        oomKills: runtime.oomKills.get(pod.metadata.uid) ?? 0,
        container: service.engine,
        gpuProduct: GPUS[service.gpu]?.product ?? service.gpu,
      });
    });

  const simulated: SimulatedCluster = {
    record,
    traffic,
    trafficFactor: 1,
    advance(ms) {
      for (left += ms; left >= SECOND_MS; left -= SECOND_MS) second();
    },
    samples() {
      return [
        ...samplesOfPods(services.flatMap(podsOf)),
        ['node_memory_MemAvailable_bytes', { instance: '10.0.0.1:9100', node: NODE }, nodeAvailable()],
      ];
    },
    engineSamples(name) {
      const pod = services.flatMap(podsOf).find(({ metadata }) => metadata.name === name);
      const [engine, service] = pod === undefined ? [] : [runtime.engineOf(pod), runtime.serviceOf(pod)];
      if (pod === undefined || service === undefined || engine?.scheduler === undefined) return undefined;
      return engineSamples(pod, service.engine, engine);
    },
    state: () => ({
      at: cluster.now(),
      services: services.map((service) =>
        serviceState({
          service,
          workload: world.objects.find(({ kind, metadata }) => kind === service.kind && metadata.name === service.name),
          pods: podsOf(service).map((pod) => podState(pod, service, runtime.engineOf(pod))),
          perSecond: (traffic.get(service.name)?.shape.requestsPerSecond ?? 0) * simulated.trafficFactor,
          finished: runtime.tally(service).finished,
          failed: runtime.tally(service).failed + (refused.get(service) ?? 0),
        }),
      ),
    }),
  };
  return simulated;
}

function isInService(pod: KubeObject): boolean {
  const isReady = valueAt(pod, '/status/containerStatuses/0/ready') === true;
  return isReady && pod.metadata.deletionTimestamp === undefined && pod.metadata.labels?.app !== 'out-of-service';
}
