import { MEMORY_LIMIT } from '../../model/flag-values.ts';
import { valueAt } from '../../model/json-patch.ts';
import type { Bound, ObjectRef } from '../../model/plan.ts';
import { canonicalBytes, formatBytes, GIB, parseQuantity } from '../../model/quantity.ts';
import type { Edit } from '../../model/verdict.ts';
import { type Change, joinChanges, setField } from '../change.ts';
import { patchCommand } from '../owners/kubectl.ts';
import type { ContainerPlace, Owner } from '../owners/owner.ts';
import { nameOf } from '../owners/read-object.ts';
import { type ChangeOutcome, changeOf } from './change-set.ts';
import { rollbackRemarks } from './manual-commands.ts';
import { type PlanInput, refuse } from './plan-input.ts';

const HAND = ' Change it by hand on the object that creates its pods; its controller may revert that.';

/** Raises the memory limit of the engine's container, and its request where the two are equal: the class of service stays. */
export function changeMemory(owner: Owner, edit: Edit, input: Pick<PlanInput, 'limits' | 'known'>): ChangeOutcome {
  const name = nameOf(owner.head.ref);
  const to = edit.to === null ? undefined : parseQuantity(edit.to);
  if (to === undefined) return refuse('no-limit', `${edit.to ?? 'No limit'} is not a valid memory limit.`);
  if (owner.containers.length === 0) {
    const says = `${name} has no pod limits of its own.${owner.byHand === undefined ? '' : HAND}`;
    return refuse('no-container', says, owner.byHand?.memory(edit.to ?? '') ?? null);
  }
  const held = owner.containers.map((place) => ({ place, now: limitOf(place) }));
  if (held.every(({ now }) => now === undefined)) {
    return refuse('no-limit', `${name} sets no memory limit: the node ran out of memory, not the container.`);
  }
  const below = held.filter(({ now }) => now !== undefined && (parseQuantity(now) ?? Number.POSITIVE_INFINITY) < to);
  const [first] = below;
  if (first === undefined) return refuse('nothing-to-do', `The limit of ${name} is already ${edit.to} or more.`);
  const edits = [{ ...edit, from: first.now ?? null }];
  const parts = below.map(({ place }) => ({
    ref: place.ref,
    object: place.object,
    // As the API server returns it, so that a rollback finds what it tests.
    change: raiseMemory(place, canonicalBytes(edit.to ?? '')),
  }));
  const over = overMost(input, { to, asked: edit.to ?? '' });
  return over === undefined ? changeOf(name, parts, edits) : refuse('above-cap', over, commandsOf(parts));
}

/** From where to where the limit may go; above there is the cap, or what the node that it ran on gives to pods. */
export function boundOfMemory(
  { from }: Pick<Edit, 'from'>,
  { limits, known }: Pick<PlanInput, 'limits' | 'known'>,
): Bound {
  const tops = [limits.maxMemoryBytes, known.nodeMemoryBytes ?? null].filter((top) => top !== null);
  const most = tops.length === 0 ? null : Math.min(...tops);
  return { flag: MEMORY_LIMIT, min: parseQuantity(from ?? '') ?? null, max: most === null ? null : toWhole(most) };
}

// Whole GiB read well in a form, and are what people type.
function toWhole(bytes: number): number {
  return bytes < GIB ? bytes : Math.floor(bytes / GIB) * GIB;
}

type Wanted = { readonly to: number; readonly asked: string };

function overMost({ limits, known }: Pick<PlanInput, 'limits' | 'known'>, wanted: Wanted): string | undefined {
  const room = known.nodeMemoryBytes ?? null;
  const over = overCap(limits.maxMemoryBytes, wanted);
  if (over !== undefined || room === null || wanted.to <= room) return over;
  return `${wanted.asked} is more than the allocatable memory of its node (${formatBytes(room)}): the pod would be evicted, or stay pending until a larger node is free.`;
}

function overCap(cap: number | null, { to, asked }: Wanted): string | undefined {
  if (cap === null) {
    return 'No memory cap is configured, so no button raises memory. Ask the platform team to set `acting.maxMemory`, such as `256Gi`, or have somebody with the rights run the command.';
  }
  if (to <= cap) return undefined;
  return `${asked} is above the configured cap of ${formatBytes(cap)} (\`acting.maxMemory\`).`;
}

type Part = { readonly ref: ObjectRef; readonly change: Change };

const NO_SURGE = '# If no GPU is free for one more pod, first set maxSurge 0 and maxUnavailable 1.';

// What the button would have written, for somebody whose own rights allow it; the last lines lead back.
function commandsOf(parts: readonly Part[]): string {
  const there = parts.map(({ ref, change }) => patchCommand(ref, change.patch));
  const surge = parts.some(({ ref }) => ref.kind === 'Deployment') ? [NO_SURGE] : [];
  return [
    ...surge,
    ...there,
    ...rollbackRemarks(parts.map(({ ref, change }) => patchCommand(ref, change.inverse))),
  ].join('\n');
}

function limitOf({ object, path }: ContainerPlace): string | undefined {
  const value = valueAt(object, `${path}/resources/limits/memory`);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** The limit of a container, and its request where the two are equal. */
export function raiseMemory({ object, path }: ContainerPlace, to: string): Change {
  const request = valueAt(object, `${path}/resources/requests/memory`);
  const limit = valueAt(object, `${path}/resources/limits/memory`);
  const isGuaranteed = request !== undefined && amount(request) === amount(limit);
  const change = setField(object, `${path}/resources/limits/memory`, to);
  return isGuaranteed ? joinChanges([change, setField(object, `${path}/resources/requests/memory`, to)]) : change;
}

function amount(value: unknown): number | undefined {
  return typeof value === 'string' || typeof value === 'number' ? parseQuantity(value) : undefined;
}
