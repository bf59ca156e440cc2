import { known, type Reading, unknown } from '../reading.ts';
import type { EventView, ProbeView, StateView } from './container-states.ts';
import type { ContainerDeath } from './death.ts';
import { containersOf, firstOf, type PodEvidence } from './gather.ts';

const KILLED = /\bfailed (?:liveness|startup) probe\b/i;
const FAILED = /\b(?:liveness|startup) probe (?:failed|errored)\b/i;

// kubelet defaults, where a probe does not say.
const DEFAULT_PERIOD_SEC = 10;
const DEFAULT_THRESHOLD = 3;
const DEFAULT_GRACE_SEC = 30;
// The event is written before the kill, and its time is rounded to the second.
const AFTER_MS = 60_000;
const BEFORE_MS = 120_000;
// kube-apiserver --event-ttl.
const EVENTS_LIVE_MS = 3_600_000;

/** Whether a liveness or startup probe failed just before the container ended. */
export function readProbeKill(
  evidence: PodEvidence,
  death: ContainerDeath | undefined,
  takenAt?: number,
): Reading<boolean> {
  const near = eventsNear(evidence, death, takenAt);
  const killing = near.find((event) => event.reason.value === 'Killing' && KILLED.test(event.message?.value ?? ''));
  if (killing !== undefined) return fromKilling(killing, death);
  const failed = near.filter(isFailedProbe);
  const isStopped = near.some((event) => event.reason.value === 'Killing') || isTerminating(evidence);
  return (
    ruledOut(death) ??
    fromUnhealthy(failed, evidence, death) ??
    fromAge(evidence, death, isStopped) ??
    fromSilence(evidence, death, takenAt)
  );
}

/** Events of the container that died, from around its end. */
export function eventsNear(
  evidence: PodEvidence,
  death: ContainerDeath | undefined,
  takenAt: number | undefined,
): readonly EventView[] {
  return evidence.events
    .map((event) => dated(event, takenAt))
    .filter((event) => concerns(event, death) && isNear(event, evidence, death));
}

/** Whether an event says that a probe failed for which the kubelet ends a container. */
function isFailedProbe({ reason, message }: EventView): boolean {
  return reason.value === 'Unhealthy' && FAILED.test(message?.value ?? '');
}

// The table of `kubectl describe` gives ages.
function dated(event: EventView, takenAt: number | undefined): EventView {
  if (event.lastAt !== undefined || event.agoSec === undefined || takenAt === undefined) return event;
  return { ...event, lastAt: takenAt - event.agoSec * 1000 };
}

// Without a time it may be of an earlier life, and a container that ended in another way shows that it is.
function fromKilling(event: EventView, death: ContainerDeath | undefined): Reading<boolean> {
  const isTimed = event.lastAt !== undefined && death?.at.kind === 'known';
  if (!isTimed && ruledOut(death) !== undefined) {
    return unknown('contradictory', 'a probe ended the container, but not in the life that is looked at');
  }
  return known(true, (event.message ?? event.reason).from);
}

// A probe that failed while the process was still starting says nothing yet: the process may have died of its own. So does
// one that failed less often than it takes to end a container, or that may be another container's.
function fromUnhealthy(
  events: readonly EventView[],
  evidence: PodEvidence,
  death: ContainerDeath | undefined,
): Reading<boolean> | undefined {
  const event = events[0];
  if (event === undefined) return undefined;
  const exit = death?.end.exitCode;
  const times = events.reduce((sum, { count }) => sum + count, 0);
  if (exit === undefined || death === undefined) {
    return unknown('not-in-snapshot', 'a probe failed, but how the container ended is not in the snapshot');
  }
  const { startup, liveness } = death.view;
  const probe = /\bstartup probe/i.test(event.message?.value ?? '') ? startup : liveness;
  if (times < (probe?.threshold ?? DEFAULT_THRESHOLD) || mayBeOfOther(event, evidence, death)) {
    return unknown('not-in-snapshot', 'a probe failed, and nothing shows that it ended this container');
  }
  return known(true, (event.message ?? event.reason).from, exit.from);
}

// The table of `kubectl describe` does not say whose probe it was.
function mayBeOfOther(event: EventView, evidence: PodEvidence, { container }: ContainerDeath): boolean {
  if (event.container !== undefined) return false;
  return containersOf(evidence).some(
    ({ name, liveness, startup }) => name?.value !== container && (liveness ?? startup) !== undefined,
  );
}

function isTerminating(evidence: PodEvidence): boolean {
  return evidence.views.some(({ phase, deletedAt }) => phase?.value === 'Terminating' || deletedAt !== undefined);
}

// A probe kill is SIGTERM, then SIGKILL: 143, 137, or 0 where the engine shuts down in order.
function ruledOut(death: ContainerDeath | undefined): Reading<boolean> | undefined {
  const exit = death?.end.exitCode;
  const reason = death?.end.reason;
  if (exit !== undefined && ![0, 137, 143].includes(exit.value)) return known(false, exit.from);
  if (exit?.value === 137 && reason?.value === 'OOMKilled') return known(false, reason.from);
  return undefined;
}

function concerns(event: EventView, death: ContainerDeath | undefined): boolean {
  if (event.object?.kind?.toLowerCase() === 'node') return false;
  return event.container === undefined || death?.container === undefined || event.container === death.container;
}

function isNear(event: EventView, evidence: PodEvidence, death: ContainerDeath | undefined): boolean {
  if (death?.at.kind !== 'known' || event.lastAt === undefined) return true;
  const graceMs = graceSec(evidence, undefined) * 1000;
  // A folded event has been seen often; its first time may belong to an earlier death.
  const first = event.firstAt ?? event.lastAt;
  return first <= death.at.value + AFTER_MS && event.lastAt >= death.at.value - graceMs - BEFORE_MS;
}

function graceSec(evidence: PodEvidence, probe: ProbeView | undefined): number {
  return probe?.graceSec ?? firstOf(evidence, (view) => view.graceSec)?.value ?? DEFAULT_GRACE_SEC;
}

// Constant age at death = delay + period x threshold. One instance of 137 may be chance; a SIGTERM at that age is not, where
// nobody else stopped the container.
function fromAge(
  evidence: PodEvidence,
  death: ContainerDeath | undefined,
  isStopped: boolean,
): Reading<boolean> | undefined {
  const exit = death?.end.exitCode;
  if (death === undefined || exit === undefined) return undefined;
  const match = [death.view.startup, death.view.liveness].find(
    (probe) => probe !== undefined && agesOf(death).some((age) => isAtBudget(age, probe, graceSec(evidence, probe))),
  );
  if (match === undefined) return undefined;
  const ages = agesOf(death);
  const isConstant = ages.length === 2 && ages.every((age) => isAtBudget(age, match, graceSec(evidence, match)));
  const proof = [...(match.from === undefined ? [] : [match.from]), exit.from];
  const isTerminated = exit.value === 143 && !isStopped && ages.some((age) => isAtBudget(age, match, 0));
  if (isTerminated || (isConstant && exit.value !== 0)) return known(true, ...proof);
  if (evidence.hasEvents) return undefined;
  return unknown('not-in-snapshot', 'the age at death is that of a probe kill, but no event of it is in the snapshot');
}

function isAtBudget(age: number, probe: ProbeView, grace: number): boolean {
  const period = probe.periodSec ?? DEFAULT_PERIOD_SEC;
  const budget = (probe.delaySec ?? 0) + period * (probe.threshold ?? DEFAULT_THRESHOLD);
  return age >= budget - period && age <= budget + period + grace + 5;
}

function agesOf(death: ContainerDeath): readonly number[] {
  return [death.view.state, death.view.lastState].flatMap((state) => ageOf(state) ?? []);
}

function ageOf(state: StateView | undefined): number | undefined {
  if (state?.kind !== 'terminated' || state.startedAt === undefined || state.finishedAt === undefined) return undefined;
  const age = (state.finishedAt.value - state.startedAt.value) / 1000;
  return age >= 0 ? age : undefined;
}

function fromSilence(
  evidence: PodEvidence,
  death: ContainerDeath | undefined,
  takenAt: number | undefined,
): Reading<boolean> {
  if (death === undefined) return unknown('not-in-snapshot', 'no termination is known');
  const { reason, exitCode } = death.end;
  const proof = exitCode ?? reason;
  if (!evidence.hasEvents || proof === undefined) {
    return unknown('not-in-snapshot', 'the events of the pod are not in the snapshot');
  }
  if (takenAt !== undefined && death.at.kind === 'known' && takenAt - death.at.value > EVENTS_LIVE_MS) {
    return unknown('gone', 'events live for an hour, and the container ended before that');
  }
  return known(false, proof.from);
}

/** How a probe failed; `not-found` is a path or a service that the server does not have, `unwell` an answer that says so. */
export const PROBE_ANSWERS = ['not-found', 'unwell', 'refused', 'timeout', 'other'] as const;
export type ProbeAnswer = (typeof PROBE_ANSWERS)[number];

// kubernetes/kubernetes pkg/probe/http/http.go, pkg/probe/tcp/tcp.go, pkg/probe/grpc/grpc.go, pkg/probe/exec/exec.go; net of Go.
const WORDS: readonly (readonly [ProbeAnswer, RegExp])[] = [
  ['not-found', /\bstatus ?code: 404\b|does not implement the grpc health protocol|rpc error: code = Unimplemented/i],
  ['unwell', /\bstatus ?code: 5\d\d\b|service unhealthy \(responded with/i],
  ['refused', /\bconnection refused\b|\bconnect: no route to host\b/i],
  ['timeout', /\bdeadline exceeded\b|\bClient\.Timeout\b|\btimed? ?out\b|\brequest canceled\b/i],
];

/** What the failing probe of the container got for an answer, by the last event that tells. */
export function readProbeAnswer(
  evidence: PodEvidence,
  death: ContainerDeath | undefined,
  takenAt?: number,
): Reading<ProbeAnswer> {
  const failed = eventsNear(evidence, death, takenAt).filter(isFailedProbe).toSorted(byTime);
  const last = failed.at(-1);
  if (last?.message === undefined) {
    return unknown('not-in-snapshot', 'no event of a liveness or startup probe that failed is in the snapshot');
  }
  const { value, from } = last.message;
  return known(WORDS.find(([, words]) => words.test(value))?.[0] ?? 'other', from);
}

function byTime(one: EventView, other: EventView): number {
  return (one.lastAt ?? 0) - (other.lastAt ?? 0) || (other.agoSec ?? 0) - (one.agoSec ?? 0);
}
