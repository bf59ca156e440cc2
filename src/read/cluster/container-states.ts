import type { Citation, FieldCitation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';

/** How a container run ended. Times are epoch ms. */
export type Termination = {
  readonly kind: 'terminated';
  readonly reason: Cited<string> | undefined;
  readonly exitCode: Cited<number> | undefined;
  readonly signal: Cited<number> | undefined;
  readonly startedAt: Cited<number> | undefined;
  readonly finishedAt: Cited<number> | undefined;
  readonly message: Cited<string> | undefined;
  readonly containerID: Cited<string> | undefined;
};

/** An end of which only some things are told. */
export function terminated(told: Partial<Termination>): Termination {
  return {
    kind: 'terminated',
    reason: undefined,
    exitCode: undefined,
    signal: undefined,
    startedAt: undefined,
    finishedAt: undefined,
    message: undefined,
    containerID: undefined,
    ...told,
  };
}

export type StateView =
  | {
      readonly kind: 'waiting';
      readonly reason: Cited<string> | undefined;
      readonly message: Cited<string> | undefined;
    }
  | { readonly kind: 'running'; readonly startedAt: Cited<number> | undefined }
  | Termination;

/** Seconds and counts as set; what is not set is undefined here and has Kubernetes' default (period 10 s, threshold 3). */
export type ProbeView = {
  readonly delaySec: number | undefined;
  readonly periodSec: number | undefined;
  readonly timeoutSec: number | undefined;
  readonly threshold: number | undefined;
  readonly graceSec: number | undefined;
  /** Undefined where the probe is there but sets no number. */
  readonly from: Citation | undefined;
};

export type EnvView = { readonly name: string; readonly value: Cited<string> | undefined };

export type ContainerView = {
  readonly name: Cited<string> | undefined;
  /** `sidecar` is an init container that restarts always. */
  readonly kind: 'container' | 'init' | 'sidecar';
  readonly image: Cited<string> | undefined;
  readonly command: readonly Cited<string>[];
  readonly args: readonly Cited<string>[];
  readonly env: readonly EnvView[];
  readonly limits: ReadonlyMap<string, Cited<string>>;
  readonly requests: ReadonlyMap<string, Cited<string>>;
  readonly claims: readonly Cited<string>[];
  readonly liveness: ProbeView | undefined;
  readonly readiness: ProbeView | undefined;
  readonly startup: ProbeView | undefined;
  readonly mounts: readonly { readonly volume: string; readonly path: string }[];
  /** The list of all mounts, where the source has it whole. */
  readonly allMounts: FieldCitation | undefined;
  readonly state: StateView | undefined;
  readonly lastState: StateView | undefined;
  /** Of the newest run: while a container waits for its restart, of the one in `lastState`. */
  readonly containerID: Cited<string> | undefined;
  readonly ready: Cited<boolean> | undefined;
  readonly restarts: Cited<number> | undefined;
};

export type ConditionView = {
  readonly type: string;
  readonly status: Cited<string> | undefined;
  readonly reason: Cited<string> | undefined;
  readonly message: Cited<string> | undefined;
  /** When the status last changed, epoch ms. */
  readonly changedAt: Cited<number> | undefined;
};

export type VolumeView = {
  readonly name: string;
  readonly medium: Cited<string> | undefined;
  readonly sizeLimit: Cited<string> | undefined;
};

/** An event of events.json or of the table in describe.txt. `lastAt` is epoch ms, `agoSec` the age printed in the table: either may be missing. */
export type EventView = {
  readonly type: string | undefined;
  readonly reason: Cited<string>;
  readonly message: Cited<string> | undefined;
  readonly object: { readonly kind: string | undefined; readonly name: string | undefined } | undefined;
  readonly container: string | undefined;
  readonly count: number;
  readonly firstAt: number | undefined;
  readonly lastAt: number | undefined;
  readonly agoSec: number | undefined;
};

/** A pod as its status, or the text of it, tells. Every field may be missing. Times are epoch ms. */
export type PodView = {
  readonly name: Cited<string> | undefined;
  readonly namespace: Cited<string> | undefined;
  readonly node: Cited<string> | undefined;
  readonly phase: Cited<string> | undefined;
  readonly reason: Cited<string> | undefined;
  readonly message: Cited<string> | undefined;
  readonly uid: string | undefined;
  readonly createdAt: Cited<number> | undefined;
  /** Seconds, as a row of `kubectl get pods` has it. */
  readonly age?: Cited<number>;
  readonly deletedAt: Cited<number> | undefined;
  readonly graceSec: Cited<number> | undefined;
  readonly defaultContainer: Cited<string> | undefined;
  readonly gates: readonly Cited<string>[];
  readonly labels: Readonly<Record<string, string>>;
  /** Those of pod.json. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly conditions: readonly ConditionView[];
  readonly containers: readonly ContainerView[];
  readonly volumes: readonly VolumeView[];
  /** Whether it shares the IPC of its node, /dev/shm with it. */
  readonly hostIpc: boolean;
};

export const NO_CONTAINER: ContainerView = {
  name: undefined,
  kind: 'container',
  image: undefined,
  command: [],
  args: [],
  env: [],
  limits: new Map(),
  requests: new Map(),
  claims: [],
  liveness: undefined,
  readiness: undefined,
  startup: undefined,
  mounts: [],
  allMounts: undefined,
  state: undefined,
  lastState: undefined,
  containerID: undefined,
  ready: undefined,
  restarts: undefined,
};

export const NO_POD: PodView = {
  name: undefined,
  namespace: undefined,
  node: undefined,
  phase: undefined,
  reason: undefined,
  message: undefined,
  uid: undefined,
  createdAt: undefined,
  deletedAt: undefined,
  graceSec: undefined,
  defaultContainer: undefined,
  gates: [],
  labels: {},
  conditions: [],
  containers: [],
  volumes: [],
  hostIpc: false,
};

/** describe.txt. `hasEvents`: an events table, or a fragment of one, was there. */
export type DescribeReading = {
  readonly pod: PodView;
  /** Those of descriptions of other pods are in `othersEvents`. */
  readonly events: readonly EventView[];
  readonly othersEvents: readonly EventView[];
  readonly hasEvents: boolean;
  /** Lines, by number, about other pods, and those where it is unclear. */
  readonly others: ReadonlySet<number>;
  readonly unsure: ReadonlySet<number>;
};
