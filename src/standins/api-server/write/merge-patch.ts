type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** RFC 7396: null removes, objects are merged, anything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = { ...(isObject(target) ? target : {}) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key], value);
  }
  return merged;
}

// Lists whose items are merged by a key (patchMergeKey of the API types in use); all others are replaced.
const MERGE_KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  env: 'name',
  volumes: 'name',
  imagePullSecrets: 'name',
  volumeMounts: 'mountPath',
  ports: 'containerPort',
  conditions: 'type',
  ownerReferences: 'uid',
};

/** Kubernetes' strategic merge patch, with its `$patch` directives. */
export function strategicMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  if (patch.$patch === 'replace') return without(patch, '$patch');
  const merged: Record<string, unknown> = { ...(isObject(target) ? target : {}) };
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$')) continue;
    const mergeKey = MERGE_KEYS[key];
    if (value === null) delete merged[key];
    else if (Array.isArray(value) && mergeKey !== undefined) merged[key] = mergeList(merged[key], value, mergeKey);
    else merged[key] = strategicMergePatch(merged[key], value);
  }
  return merged;
}

function mergeList(target: unknown, patch: readonly unknown[], key: string): unknown[] {
  const merged = Array.isArray(target) ? [...target] : [];
  if (patch.some((item) => isObject(item) && item.$patch === 'replace')) {
    return patch.filter((item) => isObject(item) && item.$patch === undefined);
  }
  for (const item of patch) {
    if (!isObject(item)) continue;
    const at = merged.findIndex((one) => isObject(one) && one[key] === item[key]);
    if (item.$patch === 'delete') {
      if (at >= 0) merged.splice(at, 1);
    } else if (at >= 0) merged[at] = strategicMergePatch(merged[at], item);
    else merged.push(item);
  }
  return merged;
}

function without(value: Json, key: string): Json {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}
