import type { Cited } from '../../model/engine-reader.ts';
import { fieldOf } from '../../read/cluster/read-pod-json.ts';

const CITE = fieldOf('incident.json');
// What people write where they do not know.
const NOTHING: ReadonlySet<string | number> = new Set(['', 'unknown', '?', 'n/a']);

/** What incident.json notes under a path; undefined where nobody noted it. */
export function notedField<T extends string | number>(value: T | null | undefined, path: string): Cited<T> | undefined {
  return value === undefined || value === null || NOTHING.has(value) ? undefined : CITE(value, path);
}
