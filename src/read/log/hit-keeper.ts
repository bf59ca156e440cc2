import type { Hit } from '../../model/log-reading.ts';

/** Keeps the first and the last hits of each phrase and counts all of them, so that memory does not grow with the log. */
export type HitKeeper = {
  add(hit: Hit): void;
  has(id: string, line: number): boolean;
  /** In the order of the log. */
  hits(): Hit[];
  readonly counts: ReadonlyMap<string, number>;
};

type Kept = { readonly first: Hit[]; readonly last: Hit[]; next: number };

export function createHitKeeper(keepPerPhrase: number): HitKeeper {
  const half = Math.max(1, Math.ceil(keepPerPhrase / 2));
  const kept = new Map<string, Kept>();
  const counts = new Map<string, number>();
  const newestLine = new Map<string, number>();
  return {
    counts,
    add(hit) {
      counts.set(hit.id, (counts.get(hit.id) ?? 0) + 1);
      newestLine.set(hit.id, hit.line);
      const entry = kept.get(hit.id) ?? { first: [], last: [], next: 0 };
      kept.set(hit.id, entry);
      if (entry.first.length < half) entry.first.push(hit);
      else {
        entry.last[entry.next] = hit;
        entry.next = (entry.next + 1) % half;
      }
    },
    has: (id, line) => newestLine.get(id) === line,
    hits: () =>
      [...kept.values()]
        .flatMap((entry) => [...entry.first, ...entry.last])
        .toSorted((a, b) => a.line - b.line || a.byte - b.byte),
  };
}
