import { isSameJson, readPointer, toPointer, valueAt } from '../model/json-patch.ts';
import type { PatchOperation } from '../model/plan.ts';

/** A patch and its inverse. Both test before they set. */
export type Change = { readonly patch: readonly PatchOperation[]; readonly inverse: readonly PatchOperation[] };

type Json = Extract<PatchOperation, { op: 'test' }>['value'];

export const NO_CHANGE: Change = { patch: [], inverse: [] };

/** Several changes of one object in one patch; the inverse goes from the last to the first. */
export function joinChanges(changes: readonly Change[]): Change {
  return {
    patch: changes.flatMap(({ patch }) => patch),
    inverse: changes.toReversed().flatMap(({ inverse }) => inverse),
  };
}

/**
 * Sets one field from what it holds to `to`; undefined takes it out. Parents that are not there are created, and removed
 * in a rollback, but for the map of annotations: others may have put theirs there meanwhile.
 */
export function setField(object: unknown, path: string, to: unknown): Change {
  const from = valueAt(object, path);
  if (isSameJson(from, to)) return NO_CHANGE;
  if (from === undefined) return addField(object, path, to as Json);
  return to === undefined ? removeAt(path, from) : replaceAt(path, from, to);
}

function addField(object: unknown, path: string, to: Json): Change {
  const keys = readPointer(path) ?? [];
  const missing = keys.findIndex((_, i) => i > 0 && valueAt(object, toPointer(keys.slice(0, i))) === undefined);
  const depth = missing === -1 ? keys.length : missing;
  const root = toPointer(keys.slice(0, depth));
  const value = keys.slice(depth).reduceRight<Json>((inner, key) => ({ [key]: inner }), to);
  const isAnnotation = keys.at(-2) === 'annotations';
  const [test] = dropAt(path, to);
  return { patch: addAt(root, value), inverse: [test, { op: 'remove', path: isAnnotation ? path : root }] };
}

/** What leads from one JSON value to another and back, as small as the two allow; paths begin with `at`. */
export function diffJson(before: unknown, after: unknown, at: string): Change {
  if (isSameJson(before, after)) return NO_CHANGE;
  if (isMap(before) && isMap(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return joinChanges(keys.map((key) => diffKey(before[key], after[key], at + toPointer([key]))));
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length && before.every(isMap)) {
    return joinChanges(before.map((item, i) => diffJson(item, after[i], `${at}/${i}`)));
  }
  return replaceAt(at, before, after);
}

function diffKey(before: unknown, after: unknown, path: string): Change {
  if (before !== undefined && after !== undefined) return diffJson(before, after, path);
  if (before === undefined) return { patch: addAt(path, after), inverse: dropAt(path, after) };
  return removeAt(path, before);
}

function removeAt(path: string, value: unknown): Change {
  return { patch: dropAt(path, value), inverse: addAt(path, value) };
}

// A test for null passes where nothing is: one who comes late finds something, and adds nothing over it.
function addAt(path: string, value: unknown): PatchOperation[] {
  return [
    { op: 'test', path, value: null },
    { op: 'add', path, value: value as Json },
  ];
}

/** Takes away what is there, if it is this value. */
export function dropAt(path: string, value: unknown): [PatchOperation, PatchOperation] {
  return [
    { op: 'test', path, value: value as Json },
    { op: 'remove', path },
  ];
}

/** Puts one value in the place of another. */
export function replaceAt(path: string, before: unknown, after: unknown): Change {
  const set = (from: unknown, to: unknown): PatchOperation[] => [
    { op: 'test', path, value: from as Json },
    { op: 'replace', path, value: to as Json },
  ];
  return { patch: set(before, after), inverse: set(after, before) };
}

export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
