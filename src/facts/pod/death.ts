import type { Cited } from '../../model/engine-reader.ts';
import { type Finding, unknown } from './finding.ts';
import type { PodEvidence } from './gather.ts';
import type { ContainerView, Termination } from './view.ts';

export type ContainerRole = 'engine' | 'init' | 'sidecar';

/** The newest termination of one container. */
export type ContainerDeath = {
  readonly container: string | undefined;
  readonly role: ContainerRole;
  /** Where it stands: `state` (the container has not restarted) or `lastState` (it has): decides which log holds it. */
  readonly place: 'state' | 'lastState';
  readonly end: Termination;
  /** Seconds; unknown `contradictory` where the end lies before the start or in the future. */
  readonly uptime: Finding<number>;
  /** Epoch ms. */
  readonly at: Finding<number>;
  readonly restarts: Cited<number> | undefined;
  readonly view: ContainerView;
};

export type DeathReading =
  | {
      readonly kind: 'death';
      /** The one that matters: an OOMKilled container before all, then the engine, then the newest. */
      readonly death: ContainerDeath;
      readonly all: readonly ContainerDeath[];
      /** Container that is taken for the engine, whether it died or not. */
      readonly engine: string | undefined;
    }
  | { readonly kind: 'none'; readonly engine: string | undefined; readonly detail: string };

/** The newest termination of each container, and which one matters. `takenAt` (epoch ms) tells times in the future. */
export function readDeath(_evidence: PodEvidence, _takenAt?: number): DeathReading {
  return { kind: 'none', engine: undefined, detail: 'not read' };
}

export type DeathClass = {
  /** A container of the pod ended with reason OOMKilled, whatever the exit code. */
  readonly oomKilled: Finding<boolean>;
  /** Exit 137 or signal 9 without a reason that explains it: probably memory, no proof. */
  readonly probablyKilled: Finding<boolean>;
  readonly evicted: Finding<'memory' | 'other' | 'no'>;
  /** What the eviction was for, in one word: memory, empty-dir (tmpfs included), storage, pids, other. */
  readonly evictedFor: Finding<'memory' | 'empty-dir' | 'storage' | 'pids' | 'other'>;
  readonly probeKilled: Finding<boolean>;
  readonly deleted: Finding<boolean>;
  readonly preempted: Finding<boolean>;
  readonly pending: Finding<boolean>;
  readonly pendingFor: Finding<PendingFor>;
  /** Of the instance that died. */
  readonly readiness: Finding<'before-ready' | 'after-ready' | 'lost-ready-first'>;
  /** Deaths per hour, from the restarts and the age of the pod. */
  readonly perHour: Finding<number>;
};

export type PendingFor =
  | 'insufficient-gpu'
  | 'insufficient-memory'
  | 'unschedulable'
  | 'scheduling-gated'
  | 'image-pull'
  | 'admission'
  | 'runtime'
  | 'config'
  | 'creating';

/** What Kubernetes alone tells about a death. Total: every finding is known or unknown with its reason. */
export function classifyDeath(_evidence: PodEvidence, _death: DeathReading, _takenAt?: number): DeathClass {
  const none = unknown('not-in-snapshot', 'not read');
  return {
    oomKilled: none,
    probablyKilled: none,
    evicted: none,
    evictedFor: none,
    probeKilled: none,
    deleted: none,
    preempted: none,
    pending: none,
    pendingFor: none,
    readiness: none,
    perHour: none,
  };
}
