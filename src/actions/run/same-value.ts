import { applyPatch, isSameJson, readPointer, valueAt } from '../../model/json-patch.ts';
import type { WriteStep } from '../../model/plan.ts';
import { parseQuantity } from '../../model/quantity.ts';
import { isMap } from '../change.ts';

export type Altered = { readonly path: string; readonly expected: unknown; readonly found: unknown };

type Wanted = readonly (readonly [path: string, value: unknown])[];

/** The first of these values that an object does not hold; undefined where it holds them all. */
export function findAltered(wanted: Wanted, object: unknown): Altered | undefined {
  for (const [path, expected] of wanted) {
    const found = valueAt(object, path);
    if (!isSameValue(path, expected, found)) return { path, expected, found };
  }
  return undefined;
}

/** What a step of a plan sets: its inverse tests just that, and tests as null what was removed. */
export function valuesTested({ inverse }: Pick<WriteStep, 'inverse'>): Wanted {
  return inverse.flatMap((one) => (one.op === 'test' ? [[one.path, one.value] as const] : []));
}

/** What a write sets, read from the object as it is to be: items of lists move as others come and go. */
export function valuesSet({ patch, subresource }: Pick<WriteStep, 'patch' | 'subresource'>, before: unknown): Wanted {
  // A scale is a document of its own, which was not read before; it has no lists.
  if (subresource === 'scale')
    return patch.flatMap((one) => ('value' in one && one.op !== 'test' ? [[one.path, one.value] as const] : []));
  const applied = applyPatch(before, patch);
  if (applied.kind === 'failed') return [];
  return patch.flatMap(({ op, path }) =>
    op === 'test' ? [] : [[path, valueAt(applied.value, path) ?? null] as const],
  );
}

/** Whether a field holds our value: fields that the API server adds to ours do not count, nor how it writes a quantity. */
export function isSameValue(path: string, ours: unknown, found: unknown): boolean {
  return holds(readPointer(path) ?? [], ours, found ?? null);
}

function holds(way: readonly string[], ours: unknown, found: unknown): boolean {
  if (Array.isArray(ours)) {
    return (
      Array.isArray(found) &&
      found.length === ours.length &&
      ours.every((item, i) => holds([...way, String(i)], item, found[i]))
    );
  }
  if (isMap(ours)) {
    return (
      isMap(found) && Object.entries(ours).every(([key, value]) => holds([...way, key], value, found[key] ?? null))
    );
  }
  return isSameJson(ours, found) || (isAmount(way) && isSameAmount(ours, found));
}

// `2048Mi` comes back as `2Gi`.
function isAmount(way: readonly string[]): boolean {
  return way.includes('limits') || way.includes('requests');
}

function isSameAmount(ours: unknown, found: unknown): boolean {
  const [a, b] = [amountOf(ours), amountOf(found)];
  return a !== undefined && a === b;
}

function amountOf(value: unknown): number | undefined {
  return typeof value === 'string' || typeof value === 'number' ? parseQuantity(value) : undefined;
}
