import type { Clock } from '../../app/ports.ts';
import type { ApiServerStandin } from '../../standins/api-server/create-api-server-standin.ts';
import type { TrafficShape } from '../engine/traffic.ts';
import type { Scenario } from './scenario.ts';

export type ScenarioOptions = {
  /** The time outside: the system's, or a test's own. */
  readonly clock: Clock;
  /** Simulated seconds per second of `clock`; 0 stands still except for `advance`. */
  readonly speed: number;
  /** Ports on loopback; 0 or undefined for any. */
  readonly ports?: { readonly api?: number; readonly prometheus?: number };
};

/**
 * A scenario that runs. The history has passed when it opens, and ends at the time of `clock`.
 * The bot must live by `clock` of this object, so that its minutes are those of the cluster.
 */
export type OpenScenario = {
  readonly scenario: Scenario;
  /** Path of a kubeconfig file; it is removed by `close`. */
  readonly kubeconfig: string;
  /** URL of the Prometheus API. */
  readonly prometheus: string;
  /** URL of the page that a real Prometheus can scrape: the exporters and engines in one exposition text. */
  readonly exposition: string;
  /** Lines of YAML for the bot: cluster, Prometheus, rights and times for verification. */
  readonly botConfig: readonly string[];
  /** Simulated time for the bot. */
  readonly clock: Clock;
  readonly api: ApiServerStandin;
  readonly traffic: TrafficControls;
  state(): ClusterState;
  /** Called with each new state, at most four times a second; answers what ends it. */
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

/** What the page draws. Times are epoch ms, memory is in bytes. */
export type ClusterState = {
  readonly at: number;
  readonly services: readonly ServiceState[];
};

export type ServiceState = {
  readonly namespace: string;
  readonly name: string;
  readonly kind: string;
  readonly replicas: { readonly wanted: number; readonly ready: number };
  /** Arguments of the pod template now, the engine's command left out. */
  readonly args: readonly string[];
  readonly memoryLimit: number;
  readonly requests: {
    readonly perSecond: number;
    readonly running: number;
    readonly waiting: number;
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
  /** Where the engine is: `serving`, or a word for the part of its startup. */
  readonly stage: EngineStage;
  readonly restarts: number;
  readonly lastDeath: { readonly reason: string; readonly exitCode: number; readonly at: number } | undefined;
  /** The parts add up to `used`. */
  readonly gpu: {
    readonly total: number;
    readonly used: number;
    readonly parts: readonly { readonly name: GpuPart; readonly bytes: number }[];
  };
  readonly ram: { readonly limit: number; readonly used: number };
  readonly running: number;
  readonly waiting: number;
  /** 0 to 1. */
  readonly kvUsedShare: number;
};

export type EngineStage = 'waiting' | 'loading' | 'profiling' | 'capturing' | 'serving' | 'dead';

export type GpuPart =
  | 'other process'
  | 'context'
  | 'weights'
  | 'KV cache'
  | 'activations'
  | 'CUDA graphs'
  | 'fragmented';

/** Throws OomError `bad-input` naming the nearest scenario if there is none called `name`, and `port-in-use` if a port is taken. */
export type OpenScenarioByName = (name: string, options: ScenarioOptions) => Promise<OpenScenario>;
