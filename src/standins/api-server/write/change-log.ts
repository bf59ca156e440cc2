import type { KubeObject } from '../objects/world.ts';

/** A change as a watch reports it; `before` is what it replaced or removed. */
export type Change = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
  readonly before: KubeObject | undefined;
};

/** The last changes of a cluster, by resource version. */
export type ChangeLog = {
  /** The newest resource version. */
  readonly version: string;
  /** A new resource version. */
  next(): string;
  add(change: Change): void;
  /** Changes after a resource version; undefined if some of them are forgotten. */
  since(version: string): readonly Change[] | undefined;
  /** Calls back after each change; answers what ends it. */
  listen(listener: (change: Change) => void): () => void;
};

// The API server forgets after minutes; a client then lists again.
const KEPT = 2000;

export function createChangeLog(): ChangeLog {
  let version = 1000;
  let kept: Change[] = [];
  // Versions up to this one are forgotten.
  let forgotten = 0;
  const listeners = new Set<(change: Change) => void>();
  return {
    get version() {
      return String(version);
    },
    next() {
      version += 1;
      return String(version);
    },
    add(change) {
      kept.push(change);
      if (kept.length > 2 * KEPT) {
        forgotten = versionOf(kept.at(-KEPT - 1));
        kept = kept.slice(-KEPT);
      }
      for (const listener of listeners) listener(change);
    },
    since(from) {
      return Number(from) < forgotten ? undefined : kept.filter((change) => versionOf(change) > Number(from));
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function versionOf(change: Change | undefined): number {
  return Number(change?.object.metadata.resourceVersion ?? 0);
}
