type Json = Record<string, unknown>;

// Lists that the API server merges by a key (patchMergeKey); it replaces all others.
const KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  env: 'name',
  volumes: 'name',
};

/** An object after a strategic merge patch, as the API server applies it to the lists that these patches touch. */
export function mergeStrategically(object: unknown, patch: unknown): unknown {
  if (!isMap(object) || !isMap(patch)) return patch;
  const merged: Json = { ...object };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else
      merged[key] = Array.isArray(value)
        ? mergeList(object[key], value, KEYS[key])
        : mergeStrategically(object[key], value);
  }
  return merged;
}

function mergeList(old: unknown, patch: readonly unknown[], key: string | undefined): unknown {
  if (key === undefined || !Array.isArray(old)) return patch;
  const items = [...(old as Json[])];
  for (const item of patch as Json[]) {
    const at = items.findIndex((one) => one[key] === item[key]);
    if (item.$patch === 'delete') items.splice(at, 1);
    else if (at === -1) items.push(item);
    else items[at] = mergeStrategically(items[at], item) as Json;
  }
  return items;
}

/** JSON pointers of the leaves in which two values differ; a list of plain values is a leaf. */
export function changedLeaves(before: unknown, after: unknown, at = ''): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  const children = [before, after].filter((one) => isMap(one) || (Array.isArray(one) && one.some(isMap)));
  if (children.length === 0) return [at];
  const keys = [...new Set(children.flatMap((one) => Object.keys(one as Json)))];
  return keys.flatMap((key) =>
    changedLeaves((before as Json | undefined)?.[key], (after as Json | undefined)?.[key], `${at}/${key}`),
  );
}

function isMap(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
