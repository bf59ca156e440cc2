type Json = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** An object without what nobody reads: who set which field, the copy of itself that kubectl leaves, the images of a node. */
export function strip(object: unknown): Json {
  if (!isObject(object)) return {};
  const { metadata, status } = object;
  return {
    ...object,
    ...(isObject(metadata) && { metadata: stripMetadata(metadata) }),
    ...(isObject(status) && 'images' in status && { status: without(status, 'images') }),
  };
}

function stripMetadata(metadata: Json): Json {
  const { annotations } = metadata;
  const rest = without(metadata, 'managedFields');
  return isObject(annotations) ? { ...rest, annotations: without(annotations, APPLIED) } : rest;
}

function without(object: Json, key: string): Json {
  const { [key]: _gone, ...rest } = object;
  return rest;
}

/** The items of a list; none where the answer is no list. */
export function itemsOf(body: unknown): readonly unknown[] {
  return isObject(body) && Array.isArray(body.items) ? body.items : [];
}

/** Whether a list goes on beyond what was given. */
export function isCut(body: unknown): boolean {
  return nextOf(body) !== undefined;
}

/** Where a list goes on; undefined where it ends. */
export function nextOf(body: unknown): string | undefined {
  const next = isObject(body) && isObject(body.metadata) ? body.metadata.continue : undefined;
  return typeof next === 'string' && next !== '' ? next : undefined;
}
