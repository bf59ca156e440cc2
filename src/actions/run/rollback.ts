import { applyPatch, valueAt } from '../../model/json-patch.ts';
import type { Run, WriteStep } from '../../model/plan.ts';
import { readStamp, undoNumber } from './stamp.ts';

/** A step that cannot be rolled back on the current objects, and both values. */
type Obstacle = {
  readonly step: WriteStep;
  readonly path: string;
  readonly expected: unknown;
  readonly found: unknown;
};

/** A restart cannot be rolled back: its inverse only tests. */
export function changesBack({ inverse }: Pick<WriteStep, 'inverse'>): boolean {
  return inverse.some(({ op }) => op !== 'test');
}

/** Whether our mark says that a step was never written: it bears an earlier step of the same run, and mark and values go together. */
export function isBehind(object: unknown, { n }: Pick<WriteStep, 'n'>, runId: string): boolean {
  const stamp = readStamp(object);
  return stamp?.runId === runId && stamp.n < n;
}

/** A run with its records, and of how many steps its plan is. */
type Taken = Pick<Run, 'id' | 'steps'> & { readonly count: number };

/** Whether our mark says that a step was already rolled back: a bot that died at that point had no time to record it. */
function isTakenBack(object: unknown, { n }: Pick<WriteStep, 'n'>, { id, count }: Omit<Taken, 'steps'>): boolean {
  const stamp = readStamp(object);
  return stamp?.runId === id && stamp.n >= undoNumber(n, count);
}

/**
 * Applies the remaining rollback to copies of the objects, the last step first, and returns where that would end.
 * Half a rollback may be worse than none: a workload at zero with new arguments. `objects` are by uid; a count behind
 * `/scale` stands in another document and is passed over.
 */
export function findObstacle(
  steps: readonly WriteStep[],
  objects: ReadonlyMap<string, unknown>,
  { id, steps: records, count }: Taken,
): Obstacle | undefined {
  const live = new Map(objects);
  const marked = new Set<string>();
  for (const step of steps.toSorted((a, b) => b.n - a.n)) {
    const record = records.find(({ n }) => n === step.n);
    if (record === undefined || record.attempts === 0 || record.phase === 'undone') continue;
    const now = live.get(step.object.uid);
    if (step.subresource === 'scale' || now === undefined || isBehind(now, step, id)) continue;
    if (isTakenBack(now, step, { id, count })) continue;
    const back = applyPatch(now, step.inverse);
    if (back.kind === 'applied') {
      live.set(step.object.uid, back.value);
      marked.add(step.object.uid);
      continue;
    }
    // Earlier values that somebody has restored are skipped, but not below a newer mark of ours: then we restored them.
    const isBack = !marked.has(step.object.uid) && applyPatch(now, step.patch).kind === 'applied';
    if (!isBack) return obstacleAt(step, now, back.at);
  }
  return undefined;
}

/**
 * Applies the changes of a plan to copies of the objects and returns the first that would be refused, so that what a later
 * step tests is checked before the first change. Skips a count behind `/scale`, which is in another document.
 */
export function findStale(steps: readonly WriteStep[], objects: ReadonlyMap<string, unknown>): Obstacle | undefined {
  const live = new Map(objects);
  for (const step of steps) {
    const now = live.get(step.object.uid);
    if (step.subresource === 'scale' || now === undefined) continue;
    const there = applyPatch(now, step.patch);
    if (there.kind !== 'applied') return failedAt(step, step.patch, { now, at: there.at });
    live.set(step.object.uid, there.value);
  }
  return undefined;
}

function obstacleAt(step: WriteStep, now: unknown, at: number): Obstacle {
  return failedAt(step, step.inverse, { now, at });
}

type Failure = { readonly now: unknown; readonly at: number };

function failedAt(step: WriteStep, patch: WriteStep['patch'], { now, at }: Failure): Obstacle {
  const failed = patch[at];
  const path = failed?.path ?? '';
  return { step, path, expected: failed?.op === 'test' ? failed.value : undefined, found: valueAt(now, path) };
}
