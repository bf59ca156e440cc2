import { valueAt } from '../../model/json-patch.ts';
import type { Hazard } from '../../model/plan.ts';
import type { Edit } from '../../model/verdict.ts';
import type { Managers } from '../owners/find-managers.ts';
import { nameOf } from '../owners/read-object.ts';
import type { Owner } from '../owners/read-owner.ts';
import type { PlanInput, PlanOutcome } from './plan-input.ts';
import { awaitReady, isUp, start, stop, verify } from './scaling.ts';
import { type Change, joinChanges, type StepList, setField } from './steps.ts';

/** What the steps amount to, beside themselves. */
export type Laid = {
  readonly kind: 'laid';
  readonly edits: readonly Edit[];
  /** Replicas that serve and are stopped at some moment. */
  readonly stopped: number;
  readonly outage: 'none' | 'one-start' | 'until-scaled-up';
  readonly freesGpus: boolean;
  readonly confirm: boolean;
  readonly hazards: readonly Hazard[];
};

type Refused = Extract<PlanOutcome, { kind: 'refused' }>;
type Work = { readonly owner: Owner; readonly managers: Managers; readonly input: PlanInput; readonly steps: StepList };
type Edited = { readonly change: Change; readonly edits: readonly Edit[] };

const POLL_MS = 10_000;

/** To zero; while replicas serve only for somebody who types the name. */
export function layToZero(work: Work): Laid | Refused {
  const { input, owner } = work;
  const { scale } = owner;
  if (scale.kind === 'none') return noCount(owner, scale.why);
  const serving = input.pods?.ready ?? null;
  stop(work, scale);
  return {
    kind: 'laid',
    edits: [],
    stopped: serving ?? 0,
    outage: 'until-scaled-up',
    freesGpus: true,
    // What serves is not known: taken as if something did.
    confirm: serving !== 0,
    hazards: [],
  };
}

/** Back to the count that was recorded, one replica first, so that a failure shows on one alone. */
export function layUp(work: Work): Laid | Refused {
  const { input, owner } = work;
  const { scale } = owner;
  if (scale.kind === 'none') return noCount(owner, scale.why);
  const wanted = input.recordedReplicas;
  if (scale.kind === 'count' && wanted === null) {
    return {
      kind: 'refused',
      why: 'no-record',
      says: 'How many replicas there were before is not recorded. Say the count.',
      paste: null,
      hazards: [],
    };
  }
  if (scale.kind === 'count' && scale.now >= (wanted ?? 0)) {
    return {
      kind: 'refused',
      why: 'nothing-to-do',
      says: `It has ${scale.now} replicas already.`,
      paste: null,
      hazards: [],
    };
  }
  start(work, scale, wanted ?? 1);
  return { kind: 'laid', edits: [], stopped: 0, outage: 'none', freesGpus: false, confirm: false, hazards: [] };
}

/** All down: pause what would fight back, to zero, change, one up, then the rest. Some serving: replaced one at a time. */
export function layStopBleed(work: Work, { change, edits }: Edited): Laid | Refused {
  const { input, owner, steps } = work;
  const ready = input.pods?.ready;
  if (ready === undefined || (ready > 0 && !input.toZero)) return layChange(work, { change, edits }, 'at-once');
  const { scale } = owner;
  if (scale.kind === 'none') return noCount(owner, scale.why);
  const before = scale.kind === 'count' && scale.now === 0 ? input.recordedReplicas : scale.now;
  if (before === null)
    return noCount(owner, 'it stands at zero already, and how many there were before is not recorded');
  if (isUp(scale)) stop(work, scale);
  steps.write(objectOf(owner), `change ${nameOf(owner.head.ref)}: ${words(edits)}`, change);
  start(work, scale, before);
  return { kind: 'laid', edits, stopped: ready, outage: 'one-start', freesGpus: true, confirm: ready > 0, hazards: [] };
}

/** A change of the template while the workload stays up: without surge, since the GPU of the surge pod is not there. */
export function layChange(work: Work, { change, edits }: Edited, when: 'at-once' | 'drain'): Laid | Refused {
  const { input, owner, steps } = work;
  const { limits, pods } = input;
  const ready = pods?.ready ?? 0;
  const total = Math.max(pods?.total ?? 0, owner.scale.kind === 'none' ? 0 : owner.scale.now);
  if (owner.replaces === 'none' && ready > 0) {
    const says = `${ready} of ${total} replicas serve, and how a ${owner.head.ref.kind} replaces its pods can not be held to the broken ones. Going to zero first needs the typed name.`;
    return { kind: 'refused', why: 'replicas-serve', says, paste: null, hazards: [] };
  }
  const calm = owner.replaces === 'surge' ? withoutSurge(owner, Math.max(1, total - ready)) : undefined;
  if (when === 'drain') {
    steps.wait({
      says: 'wait until no request is in flight',
      until: 'drained',
      replicas: 0,
      everyMs: POLL_MS,
      deadlineMs: limits.drainMs,
    });
  }
  const all = calm === undefined ? change : joinChanges([calm, change]);
  steps.write(objectOf(owner), `change ${nameOf(owner.head.ref)}: ${words(edits)}`, all);
  if (total > 0) {
    awaitReady(work, total);
    verify(work, total);
  }
  if (calm !== undefined) {
    steps.write(objectOf(owner), 'put the rollout settings back', { patch: calm.inverse, inverse: calm.patch });
  }
  const broken = total - ready;
  const stopped = ready > 0 && broken === 0 ? 1 : 0;
  return {
    kind: 'laid',
    edits,
    stopped,
    outage: ready > stopped ? 'none' : 'one-start',
    freesGpus: false,
    confirm: false,
    hazards: rollingHazards(ready, broken, when),
  };
}

function rollingHazards(ready: number, broken: number, when: 'at-once' | 'drain'): Hazard[] {
  const found: Hazard[] = [];
  if (ready > 0) {
    const says =
      broken > 0
        ? `Broken replicas are replaced first; the ${ready} that serve follow one at a time, each only when as many serve as do now.`
        : 'Replicas are replaced one at a time, each is gone before the next one comes: there is no spare GPU to count on.';
    found.push({ id: 'one-at-a-time', says, done: null, blocks: false });
  }
  if (when === 'drain') {
    const says =
      'New requests keep coming as long as the pod stands in its endpoints: waiting may never end. At the deadline it stops and says how many are in flight.';
    found.push({ id: 'requests-keep-coming', says, done: null, blocks: false });
  }
  return found;
}

// RollingUpdate with a surge waits for ever for a GPU that the old pods hold; as many may be missing as are broken now.
function withoutSurge({ object }: Owner, unavailable: number): Change | undefined {
  const type = valueAt(object, '/spec/strategy/type');
  if (type === 'Recreate') return undefined;
  const path = '/spec/strategy';
  return setField(object, path, { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: unavailable } });
}

function objectOf({ head, object }: Owner) {
  return { ref: head.ref, object };
}

function words(edits: readonly Edit[]): string {
  if (edits.length === 0) return 'restart';
  return edits.map(({ flag, from, to }) => `${flag} ${from ?? 'unset'} -> ${to ?? 'removed'}`).join(', ');
}

function noCount({ head }: Owner, why: string): Refused {
  const says = `The replicas of ${nameOf(head.ref)} are not changed: ${why}.`;
  return { kind: 'refused', why: 'no-count', says, paste: null, hazards: [] };
}
