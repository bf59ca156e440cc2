import { isSameJson } from '../../../model/json-patch.ts';
import type { KubeObject } from '../objects/world.ts';

type Entry = {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: unknown;
  readonly [field: string]: unknown;
};
type Change = { readonly manager: string; readonly subresource: string | undefined; readonly time: string };

const NOT_MANAGED = new Set([
  'managedFields',
  'resourceVersion',
  'generation',
  'uid',
  'creationTimestamp',
  'name',
  'namespace',
]);

/** The entries of `metadata.managedFields` after a change: what was changed belongs to its manager, and to nobody else. */
export function manageFields(before: KubeObject | undefined, after: KubeObject, change: Change): readonly Entry[] {
  const old = (before?.metadata.managedFields ?? []) as readonly Entry[];
  const changed = new Set(changedPaths(before ?? {}, after));
  const isOurs = ({ manager, operation, subresource }: Entry): boolean =>
    manager === change.manager && operation === 'Update' && subresource === change.subresource;
  const others = old
    .filter((entry) => !isOurs(entry))
    .map((entry) =>
      entry.fieldsV1 === undefined
        ? entry
        : { ...entry, fieldsV1: treeOf(pathsIn(entry.fieldsV1).filter((path) => !changed.has(path))) },
    );
  const kept = pathsIn(old.find(isOurs)?.fieldsV1);
  const ours: Entry = {
    manager: change.manager,
    operation: 'Update',
    apiVersion: after.apiVersion,
    time: change.time,
    fieldsType: 'FieldsV1',
    fieldsV1: treeOf([...new Set([...kept, ...changed])]),
    ...(change.subresource !== undefined && { subresource: change.subresource }),
  };
  return [...others, ours];
}

type Json = Readonly<Record<string, unknown>>;

// A path is the JSON text of its segments, so that it can stand in a set.
function changedPaths(before: unknown, after: unknown, way: readonly string[] = []): string[] {
  if (isSameJson(before, after)) return [];
  const [a, b] = [byKey(before), byKey(after)];
  if (b === undefined) return [JSON.stringify(way)];
  return Object.keys(b)
    .filter((key) => !(way.length === 0 && ['f:status', 'f:kind', 'f:apiVersion'].includes(key)))
    .filter((key) => !(way.length === 1 && way[0] === 'f:metadata' && NOT_MANAGED.has(key.slice(2))))
    .flatMap((key) => changedPaths(a?.[key], b[key], [...way, key]));
}

// Maps by `f:<key>`, lists of named things by `k:{"name":...}`; other lists are of one piece.
function byKey(value: unknown): Json | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [`f:${key}`, inner]));
  }
  const named = value.length > 0 && value.every((one) => typeof (one as Json | null)?.name === 'string');
  if (!named) return undefined;
  return Object.fromEntries(value.map((one: Json) => [`k:${JSON.stringify({ name: one.name })}`, one]));
}

function pathsIn(tree: unknown, way: readonly string[] = []): string[] {
  const entries = Object.entries((tree ?? {}) as object).filter(([key]) => key !== '.');
  if (entries.length === 0) return way.length === 0 ? [] : [JSON.stringify(way)];
  return entries.flatMap(([key, inner]) => pathsIn(inner, [...way, key]));
}

function treeOf(paths: readonly string[]): Json {
  const tree: Record<string, unknown> = {};
  for (const path of paths) {
    let node = tree;
    for (const segment of JSON.parse(path) as string[]) {
      node[segment] ??= {};
      node = node[segment] as Record<string, unknown>;
    }
  }
  return tree;
}
