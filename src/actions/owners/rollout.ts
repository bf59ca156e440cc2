import { valueAt } from '../../model/json-patch.ts';
import type { Hazard } from '../../model/plan.ts';
import { joinChanges, setField } from '../change.ts';
import { readWorkload } from './deployment.ts';
import { note, obstacle } from './hazard.ts';
import { quote } from './kubectl.ts';
import type { Owner, OwnerKind, OwnerSource, RollByHand, RollWay } from './owner.ts';
import { findContainer } from './pod-template.ts';
import { findKind, nameOf } from './read-object.ts';

const CANARY = '/spec/strategy/canary';
const REFERENCE = '/spec/workloadRef';

/** `argoproj.io Rollout`; its template stands in itself, or in the Deployment that it refers to. */
export const ROLLOUT: OwnerKind = { group: 'argoproj.io', kind: 'Rollout', read: readRollout };

function readRollout(source: OwnerSource): Owner {
  const own = { ...readWorkload(source), roll: rollOf(source), hazards: stepHazards(source) };
  return valueAt(source.object, REFERENCE) === undefined ? own : { ...own, ...readReferred(source) };
}

function readReferred({
  object,
  surroundings,
  container,
}: OwnerSource): Pick<Owner, 'templates' | 'containers'> & Partial<Pick<Owner, 'args'>> {
  const kind = valueAt(object, `${REFERENCE}/kind`);
  const name = valueAt(object, `${REFERENCE}/name`);
  const place = findKind(surroundings, typeof kind === 'string' ? kind : '').find(({ ref }) => ref.name === name);
  if (place === undefined || place.ref.kind !== 'Deployment') {
    const says = `The pod template is in ${kind}/${name} (spec.workloadRef), which was not read or is not a Deployment.`;
    return { templates: [], containers: [], args: { kind: 'none', says, paste: null } };
  }
  const { ref, object: deployment } = place;
  const found = findContainer({ ref, object: deployment }, '/spec/template/spec', container);
  return {
    templates: [{ ref, object: deployment, path: '/spec/template' }],
    containers: found === undefined ? [] : [found],
  };
}

const BLUE_GREEN = '/spec/strategy/blueGreen';

function rollOf({ object, ref }: OwnerSource): RollWay {
  const canary = valueAt(object, CANARY);
  if (typeof canary !== 'object' || canary === null) {
    return {
      kind: 'none',
      why: 'it is not a canary: it would start a second set of pods, on extra GPUs',
      ...(typeof valueAt(object, BLUE_GREEN) === 'object' && { byHand: secondSet(object, ref) }),
    };
  }
  const calm = joinChanges([
    setField(object, `${CANARY}/maxSurge`, 0),
    setField(object, `${CANARY}/maxUnavailable`, 1),
  ]);
  return { kind: 'broken-first', calm: calm.patch.length === 0 ? null : calm, surge: null };
}

function secondSet(object: unknown, ref: OwnerSource['ref']): RollByHand {
  const waits = valueAt(object, `${BLUE_GREEN}/autoPromotionEnabled`) === false;
  const promote = `kubectl argo rollouts promote ${quote(ref.name)} -n ${quote(ref.namespace)}`;
  const then = waits ? ` Then promote it: ${promote}` : '';
  const says = `A second set starts next to the current one and takes over once all of it is ready: it needs as many free GPUs again.${then}`;
  return { says, extra: null };
}

function stepHazards({ object, ref }: OwnerSource): Hazard[] {
  const steps = valueAt(object, `${CANARY}/steps`);
  const name = nameOf(ref);
  const hazards: Hazard[] = [];
  if (Array.isArray(steps) && steps.length > 0) {
    const says = `${name} goes through its ${steps.length} canary steps and may stop at a pause until somebody promotes it.`;
    hazards.push(note('canary-steps', says));
  }
  if (valueAt(object, '/spec/paused') === true) {
    const says = `${name} is paused (spec.paused): a template change has no effect until it is resumed.`;
    hazards.push(obstacle('rollout-paused', says));
  }
  return hazards;
}
