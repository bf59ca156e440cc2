import { isSameJson, readPointer, toPointer, valueAt } from '../model/json-patch.ts';
import type { PatchOperation } from '../model/plan.ts';

/** A patch and its way back. Both test before they set. */
export type Change = { readonly patch: readonly PatchOperation[]; readonly inverse: readonly PatchOperation[] };

type Json = Extract<PatchOperation, { op: 'test' }>['value'];

const NO_CHANGE: Change = { patch: [], inverse: [] };

/** Several changes of one object in one patch; the way back goes from the last to the first. */
export function joinChanges(changes: readonly Change[]): Change {
  return {
    patch: changes.flatMap(({ patch }) => patch),
    inverse: changes.toReversed().flatMap(({ inverse }) => inverse),
  };
}

/**
 * Sets one field from what it holds to `to`; undefined takes it out. Parents that are not there are made, and go again on
 * the way back, but for the map of annotations: others may have put theirs there meanwhile.
 */
export function setField(object: unknown, path: string, to: unknown): Change {
  const from = valueAt(object, path);
  if (isSameJson(from, to)) return NO_CHANGE;
  if (from === undefined) return addField(object, path, to as Json);
  const test = (value: unknown): PatchOperation => ({ op: 'test', path, value: value as Json });
  if (to === undefined) return { patch: dropAt(path, from), inverse: addAt(path, from) };
  return {
    patch: [test(from), { op: 'replace', path, value: to as Json }],
    inverse: [test(to), { op: 'replace', path, value: from as Json }],
  };
}

function addField(object: unknown, path: string, to: Json): Change {
  const keys = readPointer(path) ?? [];
  const missing = keys.findIndex((_, i) => i > 0 && valueAt(object, toPointer(keys.slice(0, i))) === undefined);
  const depth = missing === -1 ? keys.length : missing;
  const root = toPointer(keys.slice(0, depth));
  const value = keys.slice(depth).reduceRight<Json>((inner, key) => ({ [key]: inner }), to);
  const isAnnotation = keys.at(-2) === 'annotations';
  return {
    patch: addAt(root, value),
    inverse: [
      { op: 'test', path, value: to },
      { op: 'remove', path: isAnnotation ? path : root },
    ],
  };
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
  return replace(before as Json, after as Json, at);
}

function diffKey(before: unknown, after: unknown, path: string): Change {
  if (before !== undefined && after !== undefined) return diffJson(before, after, path);
  if (before === undefined) return { patch: addAt(path, after), inverse: dropAt(path, after) };
  return { patch: dropAt(path, before), inverse: addAt(path, before) };
}

// A test for null passes where nothing is: one who comes late finds something, and adds nothing over it.
function addAt(path: string, value: unknown): PatchOperation[] {
  return [
    { op: 'test', path, value: null },
    { op: 'add', path, value: value as Json },
  ];
}

function dropAt(path: string, value: unknown): PatchOperation[] {
  return [
    { op: 'test', path, value: value as Json },
    { op: 'remove', path },
  ];
}

function replace(before: Json, after: Json, path: string): Change {
  const set = (from: Json, to: Json): PatchOperation[] => [
    { op: 'test', path, value: from },
    { op: 'replace', path, value: to },
  ];
  return { patch: set(before, after), inverse: set(after, before) };
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
