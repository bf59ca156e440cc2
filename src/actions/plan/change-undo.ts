import { applyPatch, valueAt } from '../../model/json-patch.ts';
import { type Change, diffJson } from '../change.ts';
import type { Owner } from '../owners/owner.ts';
import { nameOf, type Place, readHead } from '../owners/read-object.ts';
import { type ChangeSet, gatherWrites } from './change-set.ts';
import { type PlanInput, type Refused, refuse } from './plan-input.ts';

/** The rollback of a whole run: the template, the count, and what else it touched (autoscalers). */
export type Undo = {
  readonly kind: 'undo';
  readonly set: ChangeSet;
  /** The count as it was; null where the run left it as it is now. */
  readonly count: number | null;
  readonly others: readonly (Place & { readonly change: Change })[];
};

const OURS = ['oombot.dev/run', 'oombot.dev/rollback'];

/** Follows the writes of a run backwards on the objects as they are now: each tests our value, so that nothing later of a person is lost. */
export function changeUndo(owner: Owner, { done, surroundings, object }: PlanInput): Undo | Refused {
  const live = new Map<string, Place>();
  for (const one of [...surroundings, object, ...(owner.scale.kind === 'none' ? [] : [owner.scale.object])]) {
    const ref = readHead(one)?.ref;
    if (ref !== undefined) live.set(ref.uid, { ref, object: one });
  }
  const restored = new Map([...live].map(([uid, place]) => [uid, place.object]));
  for (const { object: ref, inverse } of done.toReversed()) {
    const now = restored.get(ref.uid);
    if (now === undefined) return refuse('changed-since', `${nameOf(ref)}, which the run changed, was not read.`);
    const back = applyPatch(now, inverse);
    if (back.kind === 'failed') return changedSince(now, ref, inverse[back.at]);
    restored.set(ref.uid, back.value);
  }
  return undoOf(owner, [...live.values()], restored);
}

function changedSince(now: unknown, ref: Place['ref'], failed: Change['inverse'][number] | undefined): Refused {
  const path = failed?.path ?? '';
  const ours = failed?.op === 'test' ? `, the run had set ${JSON.stringify(failed.value)}` : '';
  const says = `${nameOf(ref)} was changed since: ${path} is ${JSON.stringify(valueAt(now, path)) ?? 'not set'}${ours}. oombot does not overwrite later changes.`;
  return refuse('changed-since', says);
}

function undoOf(owner: Owner, live: readonly Place[], restored: ReadonlyMap<string, unknown>): Undo {
  const { scale } = owner;
  const holders = new Set([owner.head.ref.uid, ...owner.templates.map(({ ref }) => ref.uid)]);
  const count = countIn(owner, restored);
  const parts = live.map(({ ref, object }) => {
    const skip = scale.kind !== 'none' && scale.ref.uid === ref.uid ? pathOf(scale) : null;
    const change = without(diffJson(object, restored.get(ref.uid), ''), skip);
    return { ref, object, change };
  });
  const changed = parts.filter(({ change }) => change.patch.length > 0);
  const writes = gatherWrites(changed.filter(({ ref }) => holders.has(ref.uid)));
  const others = changed.filter(({ ref }) => !holders.has(ref.uid));
  const says = `restore what the run changed in ${nameOf(owner.head.ref)}`;
  return { kind: 'undo', set: { kind: 'change', creates: [], writes, edits: [], says }, count, others };
}

type Scalable = Exclude<Owner['scale'], { kind: 'none' }>;

function pathOf(scale: Scalable): string {
  return scale.kind === 'count' ? scale.path : `/metadata/annotations/${scale.annotation.replaceAll('/', '~1')}`;
}

function countIn({ scale }: Owner, restored: ReadonlyMap<string, unknown>): number | null {
  if (scale.kind === 'none') return null;
  const before = valueAt(restored.get(scale.ref.uid), pathOf(scale));
  if (scale.kind === 'count') return typeof before === 'number' && before !== scale.now ? before : null;
  const wasStopped = before === 'true';
  return wasStopped === scale.isStopped ? null : wasStopped ? 0 : scale.now;
}

// The count goes its own way; our marks stay, the store and the audit lead by them.
function without({ patch, inverse }: Change, path: string | null): Change {
  const mine = OURS.map((name) => `/metadata/annotations/${name.replaceAll('/', '~1')}`);
  const keep = (one: { path: string }): boolean => one.path !== path && !mine.includes(one.path);
  return { patch: patch.filter(keep), inverse: inverse.filter(keep) };
}
