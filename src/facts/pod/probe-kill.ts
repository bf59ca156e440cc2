import type { ContainerDeath } from './death.ts';
import { type Finding, known, unknown } from './finding.ts';
import { firstOf, type PodEvidence } from './gather.ts';
import type { EventView, ProbeView, StateView } from './view.ts';

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
): Finding<boolean> {
  const near = evidence.events.filter((event) => concerns(event, death) && isNear(event, evidence, death));
  const killing = near.find((event) => event.reason.value === 'Killing' && KILLED.test(event.message?.value ?? ''));
  if (killing !== undefined) return known(true, (killing.message ?? killing.reason).from);
  const unhealthy = near.find((event) => event.reason.value === 'Unhealthy' && FAILED.test(event.message?.value ?? ''));
  if (unhealthy !== undefined) return fromUnhealthy(unhealthy, death);
  return ruledOut(death) ?? fromAge(evidence, death) ?? fromSilence(evidence, death, takenAt);
}

// A probe that failed while the process was still starting says nothing yet: the process may have died of its own.
function fromUnhealthy(event: EventView, death: ContainerDeath | undefined): Finding<boolean> {
  const ruled = ruledOut(death);
  if (ruled !== undefined) return ruled;
  const exit = death?.end.exitCode;
  const proof = (event.message ?? event.reason).from;
  if (exit !== undefined) return known(true, proof, exit.from);
  return unknown('not-in-snapshot', 'a probe failed, but how the container ended is not in the snapshot');
}

// A probe kill is SIGTERM, then SIGKILL: 143, 137, or 0 where the engine shuts down in order.
function ruledOut(death: ContainerDeath | undefined): Finding<boolean> | undefined {
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

/** Constant age at death = delay + period x threshold. One instance of 137 may be chance; a SIGTERM at that age is not. */
function fromAge(evidence: PodEvidence, death: ContainerDeath | undefined): Finding<boolean> | undefined {
  const exit = death?.end.exitCode;
  if (death === undefined || exit === undefined) return undefined;
  const match = [death.view.startup, death.view.liveness].find(
    (probe) => probe !== undefined && agesOf(death).some((age) => isAtBudget(age, probe, graceSec(evidence, probe))),
  );
  if (match === undefined) return undefined;
  const ages = agesOf(death);
  const isConstant = ages.length === 2 && ages.every((age) => isAtBudget(age, match, graceSec(evidence, match)));
  const proof = [...(match.from === undefined ? [] : [match.from]), exit.from];
  if (exit.value === 143 || (isConstant && exit.value !== 0)) return known(true, ...proof);
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
): Finding<boolean> {
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
