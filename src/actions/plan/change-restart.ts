import { toPointer } from '../../model/json-patch.ts';
import { setField } from '../change.ts';
import { kubectl } from '../owners/kubectl.ts';
import type { Owner } from '../owners/owner.ts';
import { nameOf } from '../owners/read-object.ts';
import { type ChangeOutcome, gatherWrites } from './change-set.ts';
import { isUp } from './plan-context.ts';
import { type PlanInput, refuse } from './plan-input.ts';

const RESTARTED = 'kubectl.kubernetes.io/restartedAt';

/** The mark that `kubectl rollout restart` sets. It is not rolled back: that would be one more restart. */
export function changeRestart(owner: Owner, { at }: Pick<PlanInput, 'at'>): ChangeOutcome {
  const { ref } = owner.head;
  const { scale } = owner;
  if (scale.kind !== 'none' && !isUp(scale)) return refuse('nothing-to-do', `${nameOf(ref)} has no running replicas.`);
  // Without a template of its own it is restarted by going to zero and back, or pod by pod.
  if (owner.templates.length === 0 && scale.kind !== 'none') {
    return { kind: 'change', creates: [], writes: [], edits: [], says: `restart ${nameOf(ref)}` };
  }
  if (owner.templates.length === 0) {
    const says = `${nameOf(ref)} sets its pod template itself. Delete its pods one at a time instead.`;
    return refuse('no-container', says, kubectl(ref, 'delete pod NAME'));
  }
  const parts = owner.templates.map(({ ref: of, object, path }) => {
    const { patch, inverse } = setField(object, `${path}${toPointer(['metadata', 'annotations', RESTARTED])}`, at);
    return { ref: of, object, change: { patch, inverse: inverse.filter(({ op }) => op === 'test') } };
  });
  return { kind: 'change', creates: [], writes: gatherWrites(parts), edits: [], says: `restart ${nameOf(ref)}` };
}
