import type { Cited } from '../../model/engine-reader.ts';
import type { JsonFile } from '../../model/json-file.ts';
import { fieldOf } from '../../read/cluster/read-pod-json.ts';
import type { Readings } from '../log/readings.ts';

/** What a reader makes of a file of the snapshot; undefined where it is not there. */
export function textOf<T>(texts: Readings['texts'], file: string, read: (text: string) => T): T | undefined {
  const text = texts.get(file);
  return text === undefined ? undefined : read(text);
}

/** What stands in a file that could be read. */
export function contentOf<T>(file: JsonFile<T> | undefined): T | undefined {
  return file?.kind === 'value' ? file.value : undefined;
}

/** The field where it has a value, and none where it has not. */
export function defined<K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: T });
}

const CITE = fieldOf('incident.json');
const NOTHING: ReadonlySet<string | number> = new Set(['', 'unknown', '?', 'n/a']);

/** A field of incident.json with its path; undefined where it is empty. */
export function notedField<T extends string | number>(value: T | null | undefined, path: string): Cited<T> | undefined {
  return value === undefined || value === null || NOTHING.has(value) ? undefined : CITE(value, path);
}
