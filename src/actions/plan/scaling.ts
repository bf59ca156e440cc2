import { toPointer, valueAt } from '../../model/json-patch.ts';
import type { Hazard } from '../../model/plan.ts';
import { joinChanges, setField } from '../change.ts';
import { KEDA_COUNT } from '../owners/find-autoscaling.ts';
import { note } from '../owners/hazard.ts';
import { nameOf, type Place } from '../owners/read-object.ts';
import { readStamp } from '../run/stamp.ts';
import { isUp, type Scalable, type Work } from './plan-context.ts';

const POLL_MS = 10_000;
const READY_POLL_MS = 15_000;
const VERIFY_POLL_MS = 30_000;
const KEDA_PATH = toPointer(['metadata', 'annotations', KEDA_COUNT]);

/** To zero, and a wait until no pod is left. */
export function stop(work: Work, scale: Scalable): void {
  if (isUp(scale)) setCount(work, scale, 0);
  work.steps.wait({
    says: 'wait until no pods are left',
    until: 'no-pods',
    replicas: 0,
    everyMs: POLL_MS,
    deadlineMs: work.input.limits.goneMs,
  });
}

/** Up to a count, one replica first, verified; then what paces the count is let go. */
export function start(work: Work, scale: Scalable, count: number): Hazard[] {
  if (scale.kind === 'stop') return startStopped(work, scale, count);
  const from = countNow(work, scale);
  const { hpa } = work.managers;
  if (hpa !== undefined) return startUnderHpa(work, scale, { from, count, ...hpa });
  const isAlone = scale.together !== true;
  const firsts = from === 0 && count > 1 && isAlone ? [1] : [];
  for (const to of [...firsts, count]) {
    setCount(work, scale, to);
    awaitReady(work, to);
  }
  verify(work, count);
  const together = 'Its pods are one engine on several nodes: they start together.';
  return [...(isAlone || count < 2 ? [] : [note('no-one-first', together)]), ...release(work, count)];
}

type Stopped = Extract<Scalable, { kind: 'stop' }>;

// A range of one to one makes it one; then the range is restored.
function startStopped(work: Work, scale: Stopped, count: number): Hazard[] {
  const { first, ref } = scale;
  const { steps } = work;
  if (first.kind === 'together' || count < 2) {
    setCount(work, scale, count);
    finish(work, count);
    return first.kind === 'together' && count > 1 ? [note('no-one-first', first.why)] : [];
  }
  const before = steps.now(scale);
  const narrow = first.paths.map((path) => setField(before, path, 1));
  const go = setField(before, stopPath(scale), undefined);
  steps.write(scale, `start ${nameOf(ref)} with one replica`, joinChanges([go, ...narrow]));
  awaitReady(work, 1);
  const widen = first.paths.map((path) => setField(steps.now(scale), path, valueAt(before, path)));
  steps.write(scale, `scale ${nameOf(ref)} to ${count} replicas`, joinChanges(widen));
  finish(work, count);
  return [];
}

function stopPath({ annotation }: Stopped): string {
  return toPointer(['metadata', 'annotations', annotation]);
}

type UnderHpa = { readonly from: number; readonly count: number; readonly min: number; readonly max: number };

// From its minimum on the autoscaler moves the count by itself: a second write would find another value than it tests.
function startUnderHpa(
  work: Work,
  scale: Extract<Scalable, { kind: 'count' }>,
  { from, count, min, max }: UnderHpa,
): Hazard[] {
  const first = Math.max(1, min);
  const to = from === 0 ? Math.min(first, Math.max(max, 1)) : Math.min(Math.max(count, min), max);
  setCount(work, scale, to);
  finish(work, to);
  const says = `It starts at ${to}; then the HorizontalPodAutoscaler sets the replica count (${count} were ${(work.input.wantedReplicas ?? null) === null ? 'recorded' : 'asked for'}).`;
  return to === count ? [] : [note('hpa-takes-over', says)];
}

function finish(work: Work, replicas: number): void {
  awaitReady(work, Math.max(1, replicas));
  verify(work, Math.max(1, replicas));
}

/** A wait until so many replicas are ready; each of them in turn may take the whole time that a start may take. */
export function awaitReady({ steps, input }: Work, replicas: number, inTurn = 1): void {
  steps.wait({
    says: `wait until ${replicas} ${replicas === 1 ? 'replica is' : 'replicas are'} ready`,
    until: 'ready',
    replicas,
    everyMs: READY_POLL_MS,
    deadlineMs: input.limits.readyMs * Math.max(1, inTurn),
  });
}

/** A wait until nothing is in flight in the engine. */
export function awaitDrained({ steps, input }: Work): void {
  steps.wait({
    says: 'wait until no requests are in flight',
    until: 'drained',
    replicas: 0,
    everyMs: POLL_MS,
    deadlineMs: input.limits.drainMs,
  });
}

/** Verification for the stated time. */
export function verify({ steps, input }: Work, replicas: number): void {
  const minutes = Math.max(1, Math.round(input.limits.verifyMs / 60_000));
  steps.verify({
    says: `watch for ${minutes} min`,
    replicas,
    forMs: input.limits.verifyMs,
    everyMs: VERIFY_POLL_MS,
  });
}

/** Sets the count where it can be set. While KEDA is paused at a number it scales to that number itself. */
export function setCount(work: Work, scale: Scalable, to: number): void {
  const { steps, managers } = work;
  if (scale.kind === 'stop') {
    const says = to === 0 ? `stop ${nameOf(scale.ref)}` : `start ${nameOf(scale.ref)}`;
    steps.write(scale, says, setField(steps.now(scale), stopPath(scale), to === 0 ? 'true' : undefined));
    return;
  }
  const says = `scale ${nameOf(scale.ref)} from ${countNow(work, scale)} to ${to}`;
  if (managers.keda.length === 0) steps.write(scale, says, setField(steps.now(scale), scale.path, to));
  for (const scaled of managers.keda) {
    const change = setField(steps.now(scaled), KEDA_PATH, String(to));
    steps.write(scaled, `${says} by pausing ${nameOf(scaled.ref)}`, change);
  }
}

/** The count after the steps so far. */
export function countNow({ steps, managers }: Work, scale: Extract<Scalable, { kind: 'count' }>): number {
  const [scaled] = managers.keda;
  const paused = scaled === undefined ? undefined : valueAt(steps.now(scaled), KEDA_PATH);
  if (typeof paused === 'string' && /^\d{1,6}$/.test(paused)) return Number(paused);
  const now = valueAt(steps.now(scale), scale.path);
  return typeof now === 'number' ? now : scale.now;
}

/** Ends a pause of ours; another person's is restored, unless it would stop the replicas again. */
export function release(work: Work, count: number): Hazard[] {
  return work.managers.keda.flatMap((scaled) => {
    const before = pauseBefore(scaled);
    if (before !== undefined && before < count) {
      return [
        note('keda-stays-paused', `${nameOf(scaled.ref)} was paused by someone else and stays paused at ${count}.`),
      ];
    }
    const to = before === undefined ? undefined : String(before);
    const says = before === undefined ? `resume ${nameOf(scaled.ref)}` : `restore the pause of ${nameOf(scaled.ref)}`;
    work.steps.write(scaled, says, setField(work.steps.now(scaled), KEDA_PATH, to));
    return [];
  });
}

function pauseBefore({ object }: Place): number | undefined {
  const held = valueAt(object, KEDA_PATH);
  const isOurs = readStamp(object) !== undefined;
  return typeof held === 'string' && !isOurs && /^\d{1,6}$/.test(held) ? Number(held) : undefined;
}
