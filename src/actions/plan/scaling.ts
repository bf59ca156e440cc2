import { valueAt } from '../../model/json-patch.ts';
import type { Managers } from '../owners/find-managers.ts';
import { nameOf } from '../owners/read-object.ts';
import type { ScaleWay } from '../owners/read-owner.ts';
import type { PlanInput } from './plan-input.ts';
import { type StepList, setEntry, setField } from './steps.ts';

type Work = { readonly managers: Managers; readonly input: PlanInput; readonly steps: StepList };
type Scalable = Exclude<ScaleWay, { kind: 'none' }>;

const POLL_MS = 10_000;
const READY_POLL_MS = 15_000;
const VERIFY_POLL_MS = 30_000;
const ANNOTATIONS = '/metadata/annotations';
const KEDA_COUNT = 'autoscaling.keda.sh/paused-replicas';

/** Whether there is anything to stop. */
export function isUp(scale: Scalable): boolean {
  return scale.kind === 'count' ? scale.now > 0 : !scale.stopped;
}

/** To zero, and a wait until no pod is left. */
export function stop(work: Work, scale: Scalable): void {
  setCount(work, scale, 0);
  work.steps.wait({
    says: 'wait until no pod is left',
    until: 'no-pods',
    replicas: 0,
    everyMs: POLL_MS,
    deadlineMs: work.input.limits.goneMs,
  });
}

/** Up to a count, one replica first where nobody else moves the count meanwhile, then the verification. */
export function start(work: Work, scale: Scalable, count: number): void {
  const wanted = Math.max(1, count);
  const oneFirst = scale.kind === 'count' && !work.managers.hpa && countNow(work, scale) === 0 && wanted > 1;
  for (const to of oneFirst ? [1, wanted] : [wanted]) {
    setCount(work, scale, to);
    awaitReady(work, scale.kind === 'stop' ? 1 : to);
  }
  letGo(work);
  verify(work, wanted);
}

/** A wait until so many replicas are ready. */
export function awaitReady({ steps, input }: Work, replicas: number): void {
  steps.wait({
    says: `wait until ${replicas} ${replicas === 1 ? 'replica is' : 'replicas are'} ready`,
    until: 'ready',
    replicas,
    everyMs: READY_POLL_MS,
    deadlineMs: input.limits.readyMs,
  });
}

export function verify({ steps, input }: Work, replicas: number): void {
  const minutes = Math.max(1, Math.round(input.limits.verifyMs / 60_000));
  steps.verify({
    says: `watch it for ${minutes} min`,
    replicas,
    forMs: input.limits.verifyMs,
    everyMs: VERIFY_POLL_MS,
  });
}

// KEDA undoes any count but its own: while it is paused at a number it scales the workload to that number itself.
function setCount(work: Work, scale: Scalable, to: number): void {
  const { steps, managers } = work;
  if (scale.kind === 'stop') {
    setStopped(work, scale, to === 0);
    return;
  }
  const from = countNow(work, scale);
  const says = `scale ${nameOf(scale.ref)} from ${from} to ${to}`;
  if (managers.keda.length === 0) steps.write(scale, says, setField(steps.now(scale), scale.path, to));
  for (const scaled of managers.keda) {
    const change = setEntry(steps.now(scaled), ANNOTATIONS, KEDA_COUNT, String(to));
    steps.write(scaled, `${says}, by pausing ${nameOf(scaled.ref)} there`, change);
  }
}

function letGo({ steps, managers }: Work): void {
  for (const scaled of managers.keda) {
    const now = steps.now(scaled);
    steps.write(scaled, `let ${nameOf(scaled.ref)} scale again`, setEntry(now, ANNOTATIONS, KEDA_COUNT, undefined));
  }
}

function setStopped({ steps }: Work, scale: Extract<Scalable, { kind: 'stop' }>, stopped: boolean): void {
  const says = stopped ? `stop ${nameOf(scale.ref)}` : `start ${nameOf(scale.ref)} again`;
  const change = setEntry(steps.now(scale), ANNOTATIONS, scale.annotation, stopped ? 'true' : undefined);
  steps.write(scale, says, change);
}

function countNow({ steps, managers }: Work, scale: Extract<Scalable, { kind: 'count' }>): number {
  const [scaled] = managers.keda;
  const paused = scaled && valueAt(steps.now(scaled), `${ANNOTATIONS}/${KEDA_COUNT.replace('/', '~1')}`);
  if (typeof paused === 'string' && /^\d+$/.test(paused)) return Number(paused);
  const now = valueAt(steps.now(scale), scale.path);
  return typeof now === 'number' ? now : scale.now;
}
