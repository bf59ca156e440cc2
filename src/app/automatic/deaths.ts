import type { ContainerEnd, WatchedPod } from '../watch-ports.ts';

/** A container that died, or a pod that was evicted. */
export type Death = {
  /** The same however often it is seen, and by whom. */
  readonly key: string;
  readonly pod: WatchedPod;
  /** `OOMKilled`, `Error`, `Evicted`: as Kubernetes names it. */
  readonly reason: string;
  /** Epoch ms. */
  readonly at: number;
};

const EVICTED = 'Evicted';

/**
 * Deaths that a pod shows and `before`, the same pod as it was known, does not. Of a pod that was not known those at
 * `sinceMs` or later count. `now` is the time of one that has none.
 */
export function deathsOf(
  pod: WatchedPod,
  before: WatchedPod | undefined,
  { sinceMs, now }: { readonly sinceMs: number; readonly now: number },
): readonly Death[] {
  if (pod.leaving) return [];
  const isNew = (at: number | undefined) => before !== undefined || (at !== undefined && at >= sinceMs);
  if (pod.failed !== undefined) {
    // Nodes that shut down end their pods in order; the containers of an evicted pod die of the eviction.
    if (pod.failed !== EVICTED || before?.failed === EVICTED) return [];
    const ends = pod.containers.map(({ ended }) => ended?.finishedAt ?? 0);
    const at = Math.max(pod.createdAt, ...ends);
    return isNew(at) ? [{ key: `death/${pod.uid}/${EVICTED}`, pod, reason: EVICTED, at: before ? now : at }] : [];
  }
  return pod.containers.flatMap(({ name, restarts, ended }): Death[] => {
    if (ended === undefined || isOrderly(ended)) return [];
    const key = instanceKey(ended, restarts);
    const known = before?.containers.find((one) => one.name === name);
    if (known?.ended !== undefined && instanceKey(known.ended, known.restarts) === key) return [];
    if (!isNew(ended.finishedAt)) return [];
    return [{ key: `death/${pod.uid}/${name}/${key}`, pod, reason: ended.reason, at: ended.finishedAt ?? now }];
  });
}

// A container whose child was killed may end in order all the same.
function isOrderly({ exitCode, reason }: ContainerEnd): boolean {
  return exitCode === 0 && reason !== 'OOMKilled';
}

// The count of restarts goes up between two looks at one end.
function instanceKey({ containerId, finishedAt }: ContainerEnd, restarts: number): string {
  return containerId || String(finishedAt ?? `restart-${restarts}`);
}
