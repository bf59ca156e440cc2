import type { Cited } from '../../model/engine-reader.ts';
import { known, type Reading, unknown } from '../reading.ts';
import { BY_SIGNAL_9, type ContainerDeath, type DeathReading, isOomKilled } from './death.ts';
import { type EndedBy, readDeletion, readEndedBy, readPostStart, readPreemption } from './ended-by.ts';
import { type EvictionReading, readEviction } from './eviction.ts';
import { firstOf, type PodEvidence } from './gather.ts';
import { type PendingFor, readPending } from './pending.ts';
import { type ProbeAnswer, readProbeAnswer, readProbeKill } from './probe-kill.ts';

export type DeathClass = EvictionReading & {
  /** The container that matters ended with reason OOMKilled, whatever the exit code. */
  readonly oomKilled: Reading<boolean>;
  /** Exit 137 or signal 9 and nothing says who sent it: probably memory, no proof. */
  readonly probablyKilled: Reading<boolean>;
  readonly probeKilled: Reading<boolean>;
  readonly probeAnswer: Reading<ProbeAnswer>;
  readonly postStartFailed: Reading<boolean>;
  readonly endedBy: Reading<EndedBy>;
  readonly pending: Reading<boolean>;
  readonly pendingFor: Reading<PendingFor>;
  /** Of the instance that died. */
  readonly readiness: Reading<Readiness>;
};

/** What Kubernetes alone tells about a death. Total: every finding is known or unknown with its reason. */
export function classifyDeath(evidence: PodEvidence, reading: DeathReading, takenAt?: number): DeathClass {
  const death = reading.kind === 'death' ? reading.death : undefined;
  const eviction = readEviction(evidence, death);
  const probeKilled = readProbeKill(evidence, death, takenAt);
  const postStartFailed = readPostStart(evidence, death, takenAt);
  const deleted = readDeletion(evidence, death);
  const preempted = readPreemption(evidence, death);
  const endedBy = readEndedBy(evidence, death, { deleted, preempted, evicted: eviction.evicted });
  const explained = [
    probeKilled.kind === 'known' && probeKilled.value,
    postStartFailed.kind === 'known' && postStartFailed.value,
    endedBy.kind === 'known' && endedBy.value !== 'nothing',
    eviction.evicted.kind === 'known' && eviction.evicted.value !== 'no',
  ].some(Boolean);
  return {
    oomKilled: readOomKilled(evidence, reading),
    probablyKilled: reading.kind === 'death' && reading.isOpen ? OPEN : readKilled(evidence, death, explained),
    ...eviction,
    probeKilled,
    probeAnswer: readProbeAnswer(evidence, death, takenAt),
    postStartFailed,
    endedBy,
    ...readPending(evidence, death),
    readiness: readReadiness(evidence, death),
  };
}

/** What stands in place of an end that may be of any of several containers. */
export const OPEN = unknown(
  'contradictory',
  'nothing tells which container runs the engine, and they did not end alike',
);

// The reason is sticky: the runtime sets it when any process of the container is killed, and the exit code comes later
// from whatever ended the container. So OOMKilled counts with any code, and 137 alone proves nothing.
function readOomKilled(evidence: PodEvidence, reading: DeathReading): Reading<boolean> {
  if (reading.kind === 'death') {
    const { death, isOpen } = reading;
    const { reason, message } = death.end;
    if (isOpen) return OPEN;
    if (reason?.value !== 'OOMKilled' && message !== undefined && isOomKilled(death)) return known(true, message.from);
    if (reason !== undefined) return known(isOomKilled(death), reason.from);
    return unknown('not-in-snapshot', 'the reason of the termination is not in the snapshot');
  }
  const containers = evidence.views.flatMap((view) => view.containers);
  const calm = containers.find((container) => container.restarts?.value === 0 && container.state?.kind === 'running');
  if (calm?.restarts !== undefined) return known(false, calm.restarts.from);
  return unknown('not-in-snapshot', reading.detail);
}

function readKilled(evidence: PodEvidence, death: ContainerDeath | undefined, explained: boolean): Reading<boolean> {
  if (death === undefined) {
    const containers = evidence.views.flatMap((view) => view.containers);
    const restarts = containers.map(({ state, restarts: told }) => (state?.kind === 'running' ? told : undefined));
    const isCalm = restarts.every((told) => told?.value === 0);
    const [first] = restarts;
    // None of them ever ended.
    if (isCalm && first !== undefined) return known(false, first.from);
    return unknown('not-in-snapshot', 'no termination is known');
  }
  const { exitCode, signal, reason } = death.end;
  const proof: Cited<unknown> | undefined = exitCode ?? signal;
  if (proof === undefined) return unknown('not-in-snapshot', 'neither exit code nor signal is known');
  // The kubelet writes 137 for a container that it cannot find any more: a node that was lost, a runtime that forgot.
  if (reason?.value === 'ContainerStatusUnknown') return known(false, reason.from);
  const bySignal9 = exitCode?.value === BY_SIGNAL_9 || signal?.value === 9;
  return known(bySignal9 && !explained && reason?.value !== 'OOMKilled', proof.from);
}

/** Of the instance that died: it never became ready, it was ready until it died, or it lost readiness first and then died. */
type Readiness = 'before-ready' | 'after-ready' | 'lost-ready-first';

// The condition is set within seconds: of the pod's creation at first, of the death later.
const AT_CREATION_MS = 30_000;
const AT_DEATH_MS = 10_000;

/**
 * Whether the instance that died had been ready, from one reading of the pod: the condition Ready turned False about the
 * pod's creation (never ready), about the death (it served), or clearly between. `started` and `ready` of a container
 * describe the instance that runs now and are not used.
 */
function readReadiness(evidence: PodEvidence, death: ContainerDeath | undefined): Reading<Readiness> {
  if (death === undefined) return unknown('not-in-snapshot', 'no termination is known');
  const ready = firstOf(evidence, (view) => view.conditions.find((condition) => condition.type === 'Ready'));
  if (ready?.status === undefined) return unknown('not-in-snapshot', 'the condition Ready is not in the snapshot');
  if (ready.status.value === 'True')
    return unknown('stale', 'the pod is ready again, which hides the instance that died');
  const created = firstOf(evidence, (view) => view.createdAt);
  const { changedAt } = ready;
  if (changedAt === undefined || created === undefined) {
    return unknown('not-in-snapshot', 'the time at which the pod lost readiness is not in the snapshot');
  }
  if (Math.abs(changedAt.value - created.value) <= AT_CREATION_MS) {
    return known('before-ready', changedAt.from, created.from);
  }
  if (death.at.kind === 'unknown') return death.at;
  const before = death.at.value - changedAt.value;
  if (Math.abs(before) <= AT_DEATH_MS) return known('after-ready', changedAt.from, ...death.at.from);
  if (before > 0 && changedAt.value > created.value) {
    return isOfEarlierInstance(death, changedAt.value)
      ? known('before-ready', changedAt.from, ...death.at.from)
      : known('lost-ready-first', changedAt.from, ...death.at.from);
  }
  return unknown('contradictory', 'the pod lost readiness at a time that fits neither its creation nor the death');
}

// Ready turned False before this instance even started and has stayed so: an earlier one served, this one never did.
function isOfEarlierInstance(death: ContainerDeath, changedAt: number): boolean {
  const { startedAt } = death.end;
  return startedAt !== undefined && changedAt < startedAt.value;
}
