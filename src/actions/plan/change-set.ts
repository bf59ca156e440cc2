import type { Edit } from '../../model/verdict.ts';
import { type Change, joinChanges } from '../change.ts';
import type { Place } from '../owners/read-object.ts';
import { isRolloutPath } from '../run/undo-steps.ts';
import type { Refused } from './plan-input.ts';
import type { NewObject, StepList } from './steps.ts';

/** What an action changes apart from the count: new objects first, then one patch of each object. */
export type ChangeSet = {
  readonly kind: 'change';
  readonly creates: readonly NewObject[];
  readonly writes: readonly (Place & { readonly change: Change })[];
  /** The edits with the values that the object holds. */
  readonly edits: readonly Edit[];
  /** What it is, for the words of a step. */
  readonly says: string;
};

export type ChangeOutcome = ChangeSet | Refused;

/** The change of one workload's templates, without new objects. */
export function changeOf(name: string, parts: Parameters<typeof gatherWrites>[0], edits: readonly Edit[]): ChangeSet {
  return {
    kind: 'change',
    creates: [],
    writes: gatherWrites(parts),
    edits,
    says: `change ${name}: ${sayEdits(edits)}`,
  };
}

/** Changes of the same object become one patch of it. */
export function gatherWrites(parts: readonly (Place & { readonly change: Change })[]): ChangeSet['writes'] {
  const byUid = Map.groupBy(parts, ({ ref }) => ref.uid);
  return [...byUid.values()].flatMap((same) => {
    const [first] = same;
    const change = joinChanges(same.map((part) => part.change));
    return first === undefined || change.patch.length === 0 ? [] : [{ ...first, change }];
  });
}

/** The change of the templates, and separately its rollout settings, which are restored after it. */
export function splitSettings(set: ChangeSet): { readonly change: ChangeSet; readonly settings: ChangeSet['writes'] } {
  const only = (isWanted: boolean): ChangeSet['writes'] =>
    set.writes.flatMap((one) => {
      const keep = ({ path }: { readonly path: string }): boolean => isRolloutPath(path) === isWanted;
      const change = { patch: one.change.patch.filter(keep), inverse: one.change.inverse.filter(keep) };
      return change.patch.length === 0 ? [] : [{ ...one, change }];
    });
  return { change: { ...set, writes: only(false) }, settings: only(true) };
}

/** `--max-model-len 8192 -> 4096, …`. */
export function sayEdits(edits: readonly Edit[]): string {
  return edits.map(({ flag, from, to }) => `${flag} ${from ?? '(not set)'} -> ${to ?? '(removed)'}`).join(', ');
}

/** Lays the new objects and the writes; `before` and `extra` join the patch of the object they are for, or stand before it. */
export function layChange(steps: StepList, set: ChangeSet, extra?: Place & { readonly change: Change }): void {
  for (const object of set.creates) steps.create(object, `create ${object.ref.kind}/${object.ref.name}`);
  const parts = extra === undefined ? set.writes : [extra, ...set.writes];
  for (const { ref, object, change } of gatherWrites(parts)) steps.write({ ref, object }, `${set.says}`, change);
}
