import { valueAt } from '../../model/json-patch.ts';
import type { Hazard } from '../../model/plan.ts';
import { type Change, setField } from '../change.ts';
import { obstacle } from './hazard.ts';
import type { Owner, OwnerKind, OwnerSource, RollWay, ScaleWay } from './owner.ts';
import { findContainer } from './pod-template.ts';
import { nameOf, type Place } from './read-object.ts';

const TEMPLATE = '/spec/template';
const STRATEGY = '/spec/strategy';

/** `apps/v1 Deployment`. */
export const DEPLOYMENT: OwnerKind = { group: 'apps', kind: 'Deployment', read: readDeployment };

function readDeployment(source: OwnerSource): Owner {
  return { ...readWorkload(source), roll: rollOf(source), hazards: pausedHazard(source) };
}

/** What all kinds with `spec.replicas` and `spec.template` have in common. */
export function readWorkload({ head, ref, object, container }: OwnerSource): Owner {
  const found = findContainer({ ref, object }, `${TEMPLATE}/spec`, container);
  const hasTemplate = valueAt(object, `${TEMPLATE}/spec`) !== undefined;
  return {
    kind: 'owner',
    head,
    object,
    scale: readCount({ ref, object }, '/spec/replicas'),
    templates: hasTemplate ? [{ ref, object, path: TEMPLATE }] : [],
    containers: found === undefined ? [] : [found],
    args: { kind: 'container', entrypoint: 'unknown', mayAddArgs: false },
    roll: { kind: 'none', why: `oombot does not know how a ${ref.kind} replaces its pods` },
    podsPerReplica: 1,
    hazards: [],
  };
}

/** A count at a path; a field that is left out may belong to another controller, and is not added. */
export function readCount(place: Place, path: string): ScaleWay {
  const now = valueAt(place.object, path);
  if (typeof now !== 'number' || !Number.isInteger(now) || now < 0) {
    return {
      kind: 'none',
      why: `${path} of ${nameOf(place.ref)} is not set, so something else sets the replica count`,
    };
  }
  return { ...place, kind: 'count', path, now };
}

// A surge pod waits for ever for a GPU that the old ones hold. With no surge and one missing, broken pods go first, and
// no serving one goes before as many serve as do now.
function rollOf({ object }: OwnerSource): RollWay {
  const set = (maxSurge: number, maxUnavailable: number): Change =>
    setField(object, STRATEGY, { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } });
  const calm = set(0, 1);
  return { kind: 'broken-first', calm: calm.patch.length === 0 ? null : calm, surge: set(1, 0) };
}

function pausedHazard({ ref, object }: OwnerSource): Hazard[] {
  if (valueAt(object, '/spec/paused') !== true) return [];
  const says = `The rollout of ${nameOf(ref)} is paused (spec.paused): a template change has no effect until it is resumed.`;
  return [obstacle('rollout-paused', says)];
}
