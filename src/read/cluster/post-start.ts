import { known, type Reading, unknown } from '../reading.ts';
import type { EventView } from './container-states.ts';
import type { ContainerDeath } from './death.ts';
import type { PodEvidence } from './gather.ts';
import { eventsNear } from './probe-kill.ts';

// kubelet, pkg/kubelet/kuberuntime/kuberuntime_container.go, startContainer; the second stands in the event of the kill.
const FAILED = 'FailedPostStartHook';
const WAITS = 'PostStartHookError';
// A hook that runs in a container which ends is ended with it, and can not be run in one that has.
const ENDED_ALONG = /exited with 137\b|\b(?:not running|stopped|not found|no such container)\b/i;

/** Whether the kubelet ended the container because the hook failed that it runs beside its start. */
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
