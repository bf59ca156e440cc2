import { valueAt } from '../../model/json-patch.ts';
import type { Owner } from '../owners/read-owner.ts';
import type { PlanInput } from './plan-input.ts';
import { type Change, setEntry } from './steps.ts';

const RESTARTED = 'kubectl.kubernetes.io/restartedAt';

export type RestartChange =
  | { readonly kind: 'change'; readonly change: Change; readonly edits: readonly never[] }
  | { readonly kind: 'refused'; readonly why: 'no-container'; readonly says: string; readonly paste: string | null };

/** The same mark that `kubectl rollout restart` sets on the pod template. */
export function restartChange(owner: Owner, { at }: PlanInput): RestartChange {
  if (owner.template === undefined) {
    const says = `${owner.head.ref.kind}/${owner.head.ref.name} makes its pod template itself: delete its pods one at a time instead.`;
    const paste = `kubectl -n ${owner.head.ref.namespace} delete pod NAME`;
    return { kind: 'refused', why: 'no-container', says, paste };
  }
  const meta = `${owner.template}/metadata`;
  if (valueAt(owner.object, meta) === undefined) {
    const value = { annotations: { [RESTARTED]: at } };
    const change: Change = {
      patch: [{ op: 'add', path: meta, value }],
      inverse: [
        { op: 'test', path: meta, value },
        { op: 'remove', path: meta },
      ],
    };
    return { kind: 'change', change, edits: [] };
  }
  return { kind: 'change', change: setEntry(owner.object, `${meta}/annotations`, RESTARTED, at), edits: [] };
}
