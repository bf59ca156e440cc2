import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../app/ports.ts';
import { OomError } from '../../model/errors.ts';
import { nearest } from '../../model/nearest.ts';
import { type ApiServerStandin, createApiServerStandin } from '../../standins/api-server/create-api-server-standin.ts';
import { aWorld } from '../../standins/api-server/objects/world.ts';
import {
  createPrometheusStandin,
  type PrometheusStandin,
} from '../../standins/prometheus/create-prometheus-standin.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import { createEngineRuntime } from '../cluster/engine-runtime.ts';
import { expositionText } from '../cluster/series-record.ts';
import { nodeOf, serviceObjects } from '../cluster/service-objects.ts';
import { createSimulatedCluster, type SimulatedCluster } from '../cluster/simulated-cluster.ts';
import type { TrafficShape } from '../engine/traffic.ts';
import { botConfigOf, kubeconfigFor } from './bot-config.ts';
import { controllersOf } from './happenings.ts';
import type { Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';
import { createSimulatedTime } from './simulated-time.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export type { ClusterState, GpuPart, PodState, ServiceState } from '../cluster/cluster-state.ts';

export type ScenarioOptions = {
  /** The time outside: the system's, or a test's own. */
  readonly clock: Clock;
  /** Simulated seconds per second of `clock`; 0 stands still except for `advance`. */
  readonly speed: number;
  /** Ports on loopback; any, unless told. */
  readonly ports?: { readonly api?: number | undefined; readonly prometheus?: number | undefined };
};

/**
 * A scenario that runs. The history has passed when it opens, and ends at the time of `clock`.
 * The bot must live by `clock` of this object, so that its minutes are those of the cluster.
 */
export type OpenScenario = {
  readonly scenario: Scenario;
  /** Path of a kubeconfig file; `close` removes it. */
  readonly kubeconfig: string;
  /** The stand-in of Prometheus. */
  readonly metrics: PrometheusStandin;
  /** URL of the Prometheus API. A real Prometheus can scrape `/metrics` below it, with `honor_labels: true`. */
  readonly prometheus: string;
  /** Lines of YAML for the bot: cluster, Prometheus, rights and times for verification. */
  readonly botConfig: readonly string[];
  /** Simulated time for the bot. */
  readonly clock: Clock;
  readonly api: ApiServerStandin;
  readonly traffic: TrafficControls;
  state(): ClusterState;
  /** Called with each new state, four times a second of `clock` or at each `advance`; answers what ends it. */
  subscribe(listener: (state: ClusterState) => void): () => void;
  /** Lets simulated time pass at once. */
  advance(ms: number): void;
  /** Simulated seconds per second from now on. */
  setSpeed(speed: number): void;
  close(): Promise<void>;
};

export type TrafficControls = {
  current(service: string): TrafficShape;
  set(service: string, shape: TrafficShape): void;
  /** Multiplies the requests per second of all services; 0 stops the traffic, 1 is the scenario's own. */
  scale(factor: number): void;
};

const MINUTE_MS = 60_000;

/** The scenario called `name`. Throws OomError `bad-input` with the nearest name if there is none. */
export function findScenario(name: string): Scenario {
  const found = SCENARIOS.find((one) => one.name === name);
  if (found !== undefined) return found;
  const close = nearest(
    name,
    SCENARIOS.map((one) => one.name),
  );
  throw new OomError(
    'bad-input',
    `No scenario \`${name.slice(0, 60)}\`.${close === undefined ? '' : ` Did you mean \`${close}\`?`}`,
    {
      next: 'For a list, type `oom demo --list`.',
    },
  );
}

/** Starts a scenario on loopback. Throws OomError `bad-input` if there is none of this name, or a port is taken. */
export async function openScenario(name: string, options: ScenarioOptions): Promise<OpenScenario> {
  const scenario = findScenario(name);
  const time = createSimulatedTime(options.clock, options.speed);
  const begunAt = time.clock.now() - scenario.historyMinutes * MINUTE_MS;
  const runtime = createEngineRuntime(scenario.services, begunAt);
  const [first] = scenario.services;
  if (first === undefined) throw new Error(`the scenario ${name} has no service`);
  const parts = scenario.services.map(serviceObjects);
  const world = aWorld({ objects: [nodeOf(first, 8), parts.flatMap(({ others }) => others)] });
  let simulated: SimulatedCluster | undefined;
  const api = await orPortInUse(options.ports?.api, (port) =>
    createApiServerStandin(world, {
      now: begunAt,
      runtime: runtime.start,
      life: { terminateMs: 10_000, gpus: 8 },
      port,
      proxied: (place) => {
        const [, pod, path] = /^([^:/]+)(?::\d+)?(\/.*)$/.exec(place) ?? [];
        const samples = path === '/metrics' && pod !== undefined ? simulated?.engineSamples(pod) : undefined;
        return samples && expositionText(samples);
      },
    }),
  );
  simulated = createSimulatedCluster({
    cluster: api.cluster,
    runtime,
    services: scenario.services,
    shapes: scenario.traffic,
    controllers: controllersOf(scenario, begunAt),
  });
  for (const { workload } of parts) api.cluster.storage.save(undefined, workload, { manager: 'helm' });
  simulated.advance(scenario.historyMinutes * MINUTE_MS);
  const prometheus = await servePrometheus(simulated, options, api);
  return open({ scenario, api, prometheus, simulated, time });
}

async function servePrometheus(
  simulated: SimulatedCluster,
  { ports }: ScenarioOptions,
  api: ApiServerStandin,
): Promise<PrometheusStandin> {
  try {
    return await orPortInUse(ports?.prometheus, (port) =>
      createPrometheusStandin(
        {
          series: simulated.record.series,
          answer: ({ path }) =>
            path === '/metrics'
              ? { body: expositionText(simulated.samples()), type: 'text/plain; version=0.0.4' }
              : undefined,
        },
        { port },
      ),
    );
  } catch (error) {
    await api.close();
    throw error;
  }
}

type Parts = {
  readonly scenario: Scenario;
  readonly api: ApiServerStandin;
  readonly prometheus: PrometheusStandin;
  readonly simulated: SimulatedCluster;
  readonly time: ReturnType<typeof createSimulatedTime>;
};

function open({ scenario, api, prometheus, simulated, time }: Parts): OpenScenario {
  const folder = makeTemporaryFolder('oom-demo-');
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigFor(api.url), { mode: 0o600 });
  const listeners = new Set<(state: ClusterState) => void>();
  const follow = (): void => {
    const behind = time.clock.now() - api.cluster.now();
    if (behind < 1000) return;
    simulated.advance(behind);
    for (const listener of listeners) listener(simulated.state());
  };
  const stop = time.tick(follow);
  return {
    scenario,
    kubeconfig,
    metrics: prometheus,
    prometheus: prometheus.url,
    botConfig: botConfigOf(scenario, { kubeconfig, prometheus: prometheus.url }),
    clock: time.clock,
    api,
    traffic: trafficControls(simulated),
    state: simulated.state,
    subscribe(listener) {
      listeners.add(listener);
      listener(simulated.state());
      return () => listeners.delete(listener);
    },
    advance(ms) {
      time.advance(ms);
      follow();
    },
    setSpeed: time.setSpeed,
    async close() {
      stop();
      listeners.clear();
      await Promise.all([api.close(), prometheus.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function trafficControls(simulated: SimulatedCluster): TrafficControls {
  const of = (service: string) => {
    const traffic = simulated.traffic.get(service);
    if (traffic === undefined) throw new Error(`no service ${service}`);
    return traffic;
  };
  return {
    current: (service) => of(service).shape,
    set(service, shape) {
      of(service).shape = shape;
    },
    scale(factor) {
      simulated.trafficFactor = factor;
    },
  };
}

async function orPortInUse<T>(port: number | undefined, start: (port: number | undefined) => Promise<T>): Promise<T> {
  try {
    return await start(port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new OomError('bad-input', `Port ${port} is in use.`, {
      next: 'Stop what listens there, or choose another port. Without a port, a free one is taken.',
      cause: error,
    });
  }
}
