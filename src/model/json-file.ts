import { z } from 'zod';
import { Event, OwnerObject, Pod, Revision } from './kubernetes.ts';

export type JsonFile<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'bad'; readonly reason: 'empty' | 'failed'; readonly detail: string };

/** A JSON text as a value; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A value as JSON; undefined where it is nested too deep to print. */
export function printJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    return undefined;
  }
}

/** A JSON file of the snapshot as a value, or why there is none. Never throws. */
export function parseJsonFile<T extends z.ZodType>(schema: T, text: string): JsonFile<z.output<T>> {
  if (text.trim() === '') return { kind: 'bad', reason: 'empty', detail: 'the file is empty' };
  const raw = parseJson(text);
  if (raw === undefined) return { kind: 'bad', reason: 'failed', detail: 'the file is not valid JSON' };
  return readJson(schema, raw);
}

/** Whether a text is JSON at all; an empty one says nothing wrong. */
export function isJson(text: string): boolean {
  const parsed = parseJsonFile(z.unknown(), text);
  return parsed.kind === 'value' || parsed.reason === 'empty';
}

function readJson<T extends z.ZodType>(schema: T, raw: unknown): JsonFile<z.output<T>> {
  const parsed = schema.safeParse(raw);
  if (parsed.success) return { kind: 'value', value: parsed.data };
  const issue = parsed.error.issues[0];
  const where = issue === undefined ? '' : `/${issue.path.join('/')}: `;
  return { kind: 'bad', reason: 'failed', detail: `${where}${issue?.message ?? 'not what was expected'}` };
}

/** A list with the JSON pointer of each element, so that what is read from it can be cited. */
export type Placed<T> = { readonly value: T; readonly path: string };

// `kubectl get ... -o json` gives a List with `items`; our own files are plain arrays. Both are read.
const listFile = <T extends z.ZodType>(element: T, empty: z.output<T>) => {
  const elements = z.array(element.catch(empty as never));
  return z.union([
    elements.transform((items) => place(items, '')),
    z.looseObject({ items: elements }).transform((list) => place(list.items, '/items')),
  ]);
};

function place<T>(items: readonly T[], base: string): readonly Placed<T>[] {
  return items.map((value, index) => ({ value, path: `${base}/${index}` }));
}

/** events.json: the pod's and the node's events, in any order. */
export const EventsFile = listFile(Event, {});
/** owners.json: from the pod's controller upward. */
export const OwnersFile = listFile(OwnerObject, {});
/** siblings.json: pods of the same workload; the pod itself may be among them. */
export const SiblingsFile = listFile(Pod, {});
/** revisions.json: newest first. */
export const RevisionsFile = listFile(Revision, {});
