import { known, type Reading, unknown } from '../reading.ts';
import type { EventView } from './container-states.ts';
import type { ContainerDeath } from './death.ts';
import { wentWithNode } from './deletion.ts';
import { firstOf, type PodEvidence } from './gather.ts';

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
