import { known, type Reading, unknown } from '../reading.ts';
import type { EventView } from './container-states.ts';
import type { ContainerDeath } from './death.ts';
import { firstOf, type PodEvidence } from './gather.ts';
import { eventsNear } from './probe-kill.ts';

/** Who ended the whole pod, by the status that Kubernetes keeps of it. */
export const ENDED_BY = [
  'preemption',
  'eviction-api',
  'taint',
  'garbage-collection',
  'node-shutdown',
  'node-lost',
  'deadline',
  'deletion',
  'nothing',
] as const;
export type EndedBy = (typeof ENDED_BY)[number];

type Known = {
  readonly deleted: Reading<boolean>;
  readonly preempted: Reading<boolean>;
  readonly evicted: Reading<string>;
};

// k8s.io/api/core/v1, reasons of the condition DisruptionTarget. That of an eviction by the kubelet is read elsewhere.
const DISRUPTIONS: Readonly<Record<string, EndedBy>> = {
  PreemptionByScheduler: 'preemption',
  EvictionByEvictionAPI: 'eviction-api',
  DeletionByTaintManager: 'taint',
  DeletionByPodGC: 'garbage-collection',
};
const REASONS: Readonly<Record<string, EndedBy>> = { DeadlineExceeded: 'deadline', NodeLost: 'node-lost' };

/**
 * Who ended the pod from outside, `nothing` where its status names nobody. What ends a pod ends it for good: a container
 * that was started again in it died of something else.
 */
export function readEndedBy(
  evidence: PodEvidence,
  death: ContainerDeath | undefined,
  { deleted, preempted, evicted }: Known,
): Reading<EndedBy> {
  const phase = firstOf(evidence, (view) => view.phase);
  const nobody: Reading<EndedBy> =
    phase === undefined
      ? unknown('not-in-snapshot', 'the phase of the pod is not known')
      : known('nothing', phase.from);
  // The kubelet stops the containers of a pod that it evicts in the same words; for what it did so is read elsewhere.
  const isEvicted = evicted.kind === 'known' && evicted.value !== 'no';
  if (death?.place === 'lastState' || isEvicted) return nobody;
  return (
    byCondition(evidence) ??
    byReason(evidence) ??
    (preempted.kind === 'known' && preempted.value ? known('preemption', ...preempted.from) : undefined) ??
    (deleted.kind === 'known' && deleted.value ? known('deletion', ...deleted.from) : undefined) ??
    byStop(evidence, death) ??
    nobody
  );
}

function byCondition({ views }: PodEvidence): Reading<EndedBy> | undefined {
  const target = views
    .flatMap(({ conditions }) => conditions)
    .find(({ type, status }) => type === 'DisruptionTarget' && status?.value === 'True');
  const by = DISRUPTIONS[target?.reason?.value ?? ''];
  return by === undefined || target?.reason === undefined ? undefined : known(by, target.reason.from);
}

function byReason(evidence: PodEvidence): Reading<EndedBy> | undefined {
  const reason = firstOf(evidence, (view) => view.reason);
  const message = firstOf(evidence, (view) => view.message);
  if (wentWithNode(evidence) && message !== undefined) return known('node-shutdown', message.from);
  const by = REASONS[reason?.value ?? ''];
  return by === undefined || reason === undefined ? undefined : known(by, reason.from);
}

const STOPPING = /^Stopping container\b/;
// The kubelet writes the event before it sends the signal, and the grace period runs between them.
const AFTER_MS = 60_000;
const BEFORE_MS = 300_000;

// The kubelet's own word of a pod that it takes down; where a probe or a hook made it do so, the message names that.
function byStop({ events }: PodEvidence, death: ContainerDeath | undefined): Reading<EndedBy> | undefined {
  const stop = events.find(
    (event) =>
      event.reason.value === 'Killing' &&
      STOPPING.test(event.message?.value ?? '') &&
      isAt(event, death) &&
      isOf(event, death),
  );
  return stop && known('deletion', (stop.message ?? stop.reason).from);
}

function isAt({ lastAt }: EventView, death: ContainerDeath | undefined): boolean {
  if (lastAt === undefined || death?.at.kind !== 'known') return false;
  return lastAt <= death.at.value + AFTER_MS && lastAt >= death.at.value - BEFORE_MS;
}

function isOf({ container }: EventView, death: ContainerDeath | undefined): boolean {
  return container === undefined || container === death?.container;
}

// pod.spec.terminationGracePeriodSeconds, where it is not set.
const DEFAULT_GRACE_SEC = 30;
const SLACK_MS = 5000;

/** Whether the pod was being deleted when the container ended. A deletion that was asked for afterwards is none. */
export function readDeletion(evidence: PodEvidence, death: ContainerDeath | undefined): Reading<boolean> {
  const deleted = firstOf(evidence, (view) => view.deletedAt);
  const phase = firstOf(evidence, (view) => view.phase);
  if (deleted !== undefined) {
    // The timestamp says when the grace period ends.
    const grace = firstOf(evidence, (view) => view.graceSec)?.value ?? DEFAULT_GRACE_SEC;
    const askedAt = deleted.value - grace * 1000;
    const endedBefore = death?.at.kind === 'known' && death.at.value + SLACK_MS < askedAt;
    return known(!endedBefore, deleted.from);
  }
  if (phase?.value === 'Terminating') return known(true, phase.from);
  if (phase !== undefined) return known(false, phase.from);
  return restartedInPlace(death) ?? unknown('not-in-snapshot', 'the phase of the pod is not known');
}

/** Whether the scheduler removed the pod for one of higher priority. */
export function readPreemption(evidence: PodEvidence, death: ContainerDeath | undefined): Reading<boolean> {
  const target = evidence.views
    .flatMap((view) => view.conditions)
    .find((condition) => condition.type === 'DisruptionTarget' && condition.status?.value === 'True');
  if (target?.reason !== undefined && /^PreemptionBy/.test(target.reason.value)) return known(true, target.reason.from);
  const event = evidence.events.find((candidate) => candidate.reason.value === 'Preempted');
  if (event !== undefined) return known(true, event.reason.from);
  const reason = firstOf(evidence, (view) => view.reason);
  if (reason?.value === 'Preempting') return known(true, reason.from);
  const phase = firstOf(evidence, (view) => view.phase);
  if (phase !== undefined) return known(false, phase.from);
  return restartedInPlace(death) ?? unknown('not-in-snapshot', 'the phase of the pod is not known');
}

// kubelet, pkg/kubelet/nodeshutdown.
const SHUTDOWN = /\bin response to imminent node shutdown\b|\bNode is shutting, evicting pods\b/;

/** Whether the kubelet ended the pod because its node was shut down. */
function wentWithNode({ views }: PodEvidence): boolean {
  return views.some(({ message }) => SHUTDOWN.test(message?.value ?? ''));
}

/** No pod that is deleted, preempted or evicted restarts a container: a past run before a present one rules them out. */
export function restartedInPlace(death: ContainerDeath | undefined): Reading<false> | undefined {
  if (death?.place !== 'lastState') return undefined;
  const proof = death.end.reason ?? death.end.exitCode;
  return proof === undefined ? undefined : known(false, proof.from);
}

// kubelet, pkg/kubelet/kuberuntime/kuberuntime_container.go, startContainer; the second stands in the event of the kill.
const FAILED = 'FailedPostStartHook';
const WAITS = 'PostStartHookError';
// A hook that runs in a container which ends is ended with it, and cannot be run in one that has.
const ENDED_ALONG = /exited with 137\b|\b(?:not running|stopped|not found|no such container)\b/i;

/** Whether the kubelet ended the container because its postStart hook failed. */
export function readPostStart(
  evidence: PodEvidence,
  death: ContainerDeath | undefined,
  takenAt: number | undefined,
): Reading<boolean> {
  const exit = death?.end.exitCode;
  if (death === undefined || exit === undefined)
    return unknown('not-in-snapshot', 'how a container ended is not known');
  // The kubelet sends SIGTERM, then SIGKILL.
  if (![0, 137, 143].includes(exit.value) || death.end.reason?.value === 'OOMKilled') return known(false, exit.from);
  const told = eventsNear(evidence, death, takenAt).filter(isOfHook);
  const waits = death.view.state?.kind === 'waiting' ? death.view.state.reason : undefined;
  const from = told[0]?.reason.from ?? (waits?.value === WAITS ? waits.from : undefined);
  if (from === undefined) {
    return evidence.hasEvents
      ? known(false, exit.from)
      : unknown('not-in-snapshot', 'the events of the pod are not in the snapshot');
  }
  const isOpen = told.some(({ message }) => ENDED_ALONG.test(message?.value ?? ''));
  return isOpen
    ? unknown('contradictory', 'a hook failed as its container ended, and which came first is not shown')
    : known(true, from, exit.from);
}

function isOfHook({ reason, message }: EventView): boolean {
  return reason.value === FAILED || (reason.value === 'Killing' && message?.value.startsWith(FAILED) === true);
}
