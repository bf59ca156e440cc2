import { z } from 'zod';
import { readPointer, toPointer, valueAt } from '../../model/json-patch.ts';

const Fields = z.looseObject({
  metadata: z.looseObject({
    managedFields: z.array(
      z.looseObject({
        manager: z.string(),
        operation: z.string().optional(),
        time: z.string().optional(),
        fieldsV1: z.record(z.string(), z.unknown()).optional(),
      }),
    ),
  }),
});

/** Who wrote a field last, by the API server's own books; undefined where they do not say. */
export function fieldManager(object: unknown, path: string): string | undefined {
  return lastEntry(object, path)?.manager;
}

/** When a field was written last, by the API server's own clock, epoch ms; undefined where its books do not say. */
export function managedAt(object: unknown, path: string): number | undefined {
  const at = Date.parse(lastEntry(object, path)?.time ?? '');
  return Number.isNaN(at) ? undefined : at;
}

type Entry = z.infer<typeof Fields>['metadata']['managedFields'][number];

function lastEntry(object: unknown, path: string): Entry | undefined {
  return fieldOwners(object, path)[0];
}

/** All who own a field, by the API server's own books, the newest first: who applies the value that another has set owns it too. */
export function fieldOwners(object: unknown, path: string): readonly Entry[] {
  const parsed = Fields.safeParse(object);
  const keys = readPointer(path);
  if (!parsed.success || keys === undefined) return [];
  return parsed.data.metadata.managedFields
    .filter(({ fieldsV1 }) => fieldsV1 !== undefined && owns(fieldsV1, { object, keys, at: [] }))
    .toSorted((a, b) => (b.time ?? '').localeCompare(a.time ?? ''));
}

type Way = { readonly object: unknown; readonly keys: readonly string[]; readonly at: readonly string[] };

// `f:name` for a field, `k:{"name":"vllm"}` for an item of a list; a node without children is owned whole.
function owns(node: Readonly<Record<string, unknown>>, { object, keys, at }: Way): boolean {
  const [key, ...rest] = keys;
  if (key === undefined) return true;
  if (Object.keys(node).filter((name) => name !== '.').length === 0) return at.length > 0;
  const here = at.reduce<unknown>((value, part) => valueAt(value, toPointer([part])), object);
  const child = Array.isArray(here) ? itemOf(node, here[Number(key)]) : node[`f:${key}`];
  if (typeof child !== 'object' || child === null) return false;
  return owns({ ...child }, { object, keys: rest, at: [...at, key] });
}

function itemOf(node: Readonly<Record<string, unknown>>, item: unknown): unknown {
  const name = Object.keys(node).find((key) => key.startsWith('k:') && isKeyOf(key.slice(2), item));
  return name === undefined ? undefined : node[name];
}

function isKeyOf(text: string, item: unknown): boolean {
  const wanted = Object.entries(parse(text));
  return wanted.length > 0 && wanted.every(([name, value]) => valueAt(item, toPointer([name])) === value);
}

function parse(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
