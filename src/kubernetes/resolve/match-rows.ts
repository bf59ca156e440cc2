import { distance } from 'fastest-levenshtein';
import { nearest } from '../../model/nearest.ts';
import type { PodCandidate } from '../../model/unresolved.ts';
import { basesOf, guessWorkload } from './pod-name.ts';
import { type PodRow, toCandidate, worstFirst } from './pod-table.ts';

export type RowMatch =
  /** The worst of one workload's; `by` tells what was named. */
  | {
      readonly kind: 'one';
      readonly row: PodRow;
      readonly by: 'workload' | 'prefix';
      readonly replaced: boolean;
    }
  | { readonly kind: 'several'; readonly rows: readonly PodRow[] }
  | { readonly kind: 'none' };

/** The pod that a name means among these, which do not bear it themselves: of the workload so called, else by prefix. */
export function matchRows(rows: readonly PodRow[], name: string): RowMatch {
  for (const base of basesOf(name)) {
    const own = rows.filter(({ workload }) => workload.name === base);
    if (own.length > 0) return oneOf(own, 'workload', base !== name);
  }
  return oneOf(
    rows.filter((row) => row.name.startsWith(name)),
    'prefix',
    false,
  );
}

// The pods of one workload are as good as each other, and the worst is the one that is asked about.
function oneOf(rows: readonly PodRow[], by: 'workload' | 'prefix', replaced: boolean): RowMatch {
  const sorted = worstFirst(rows);
  const [first] = sorted;
  if (first === undefined) return { kind: 'none' };
  const workloads = new Set(rows.map((row) => `${row.namespace}/${row.workload.kind}/${row.workload.name}`));
  return workloads.size === 1 ? { kind: 'one', row: first, by, replaced } : { kind: 'several', rows: sorted };
}

const MAX_NEAREST = 5;

/** Pods whose own name or workload is close to what was typed, the nearest first, five at most, one a workload. */
export function nearestTo(rows: readonly PodRow[], name: string): PodCandidate[] {
  const far = (row: PodRow) => Math.min(distance(row.name, name), distance(row.workload.name, name));
  const seen = new Set<string>();
  return worstFirst(rows.filter((row) => isClose(row, name)))
    .map((row) => ({ row, far: far(row) }))
    .toSorted((a, b) => a.far - b.far)
    .filter(({ row }) => {
      const workload = `${row.namespace}/${row.workload.name}`;
      return !seen.has(workload) && seen.add(workload);
    })
    .slice(0, MAX_NEAREST)
    .map(({ row }) => toCandidate(row));
}

// A whole name with a typo, or one word of it that is the same or nearly: `server` and `vlm-chat` for `vllm-server`.
function isClose({ name: pod, workload }: PodRow, typed: string): boolean {
  if (nearest(typed, [pod, workload.name]) !== undefined) return true;
  const words = wordsOf(workload.name);
  return wordsOf(typed).some((word) => words.includes(word) || nearest(word, words) !== undefined);
}

const SHORTEST_WORD = 3;

function wordsOf(name: string): readonly string[] {
  return guessWorkload(name)
    .split(/[-.]/)
    .filter((word) => word.length >= SHORTEST_WORD && !/^\d+$/.test(word));
}
