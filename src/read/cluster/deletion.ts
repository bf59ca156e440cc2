import { known, type Reading, unknown } from '../reading.ts';
import type { ContainerDeath } from './death.ts';
import { firstOf, type PodEvidence } from './gather.ts';

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
export function wentWithNode({ views }: PodEvidence): boolean {
  return views.some(({ message }) => SHUTDOWN.test(message?.value ?? ''));
}

/** No pod that is deleted, preempted or evicted restarts a container: a past run beside a present one rules them out. */
export function restartedInPlace(death: ContainerDeath | undefined): Reading<false> | undefined {
  if (death?.place !== 'lastState') return undefined;
  const proof = death.end.reason ?? death.end.exitCode;
  return proof === undefined ? undefined : known(false, proof.from);
}
