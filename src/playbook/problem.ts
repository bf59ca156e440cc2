import { nearest } from '../model/nearest.ts';
import type { Problem as FileProblem } from '../model/problem.ts';

/** `error`: the playbook cannot be used; `warning`: it works, and something in it is dead or missing. Columns count from 1. */
export type Problem = FileProblem & { readonly column: number; readonly severity: 'error' | 'warning' };

/** What a problem points at: a path of keys and indexes; `key: true` means the key itself, not its value. */
export type Locate = (
  path: readonly PropertyKey[],
  key?: boolean,
) => { readonly line: number; readonly column: number };

/** Like Locate, in a playbook of several files. */
export type LocateIn = (path: readonly PropertyKey[], key?: boolean) => Place;
export type Place = { readonly file: string; readonly line: number; readonly column: number };

/** `no fact called x, did you mean y?`, or what is allowed where nothing looks like it. */
export function unknownName(kind: string, name: string, allowed: Iterable<string>): string {
  const names = [...allowed];
  const guess = nearest(name, names);
  if (guess !== undefined) return `no ${kind} called ${name}, did you mean ${guess}?`;
  if (names.length === 0) return `no ${kind} called ${name}; there is none`;
  const shown = names.slice(0, 12).join(', ');
  return `no ${kind} called ${name}; allowed: ${shown}${names.length > 12 ? ', ...' : ''}`;
}
