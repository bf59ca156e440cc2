import type { Plan, Run, StepRecord, WriteStep } from '../../model/plan.ts';

/**
 * The count of replicas from which writes took a workload to zero; null where they did not. A stop or a pause is no
 * count: there it is what the plan had counted.
 */
export function countBefore(writes: readonly WriteStep[], { total }: Pick<Plan['serving'], 'total'>): number | null {
  for (const { patch } of writes) {
    const counted = patch.find((one) => one.op === 'test' && one.path.endsWith('/replicas'));
    const sets = patch.filter((one) => one.op === 'replace' || one.op === 'add');
    if (sets.some(({ path, value }) => path.endsWith('/replicas') && value === 0)) {
      return counted?.op === 'test' && typeof counted.value === 'number' ? counted.value : null;
    }
    if (sets.some(stopsAll)) return total > 0 ? total : null;
  }
  return null;
}

/** A run and its plan, as far as they report a count. */
export type RunOfPlan = { readonly run: Pick<Run, 'steps' | 'state'>; readonly plan: Pick<Plan, 'steps' | 'serving'> };

/**
 * The count that the latest of some runs, the oldest first, took to zero. Null where none did, where it was rolled back, or
 * where a run since has ended with the workload up: what stood before that is of another time.
 */
export function countOfRuns(runs: readonly RunOfPlan[]): number | null {
  for (const { run, plan } of runs.toReversed()) {
    const done = writesOf(plan, run, 'done');
    const count = countBefore(done, plan.serving);
    if (count !== null) return count;
    // A way up that stopped half way has not brought the count back yet.
    const isUp = run.state === 'done' && done.some(leavesSome);
    if (isUp || countBefore(writesOf(plan, run, 'undone'), plan.serving) !== null) return null;
  }
  return null;
}

/** The writes of a plan that stand in one phase of its run. */
export function writesOf(
  { steps }: Pick<Plan, 'steps'>,
  run: Pick<Run, 'steps'>,
  phase: StepRecord['phase'],
): readonly WriteStep[] {
  const numbers = new Set(run.steps.filter((record) => record.phase === phase).map(({ n }) => n));
  return steps.filter((step): step is WriteStep => step.kind === 'write' && numbers.has(step.n));
}

// It sets a count, or takes away what held the workload at none.
function leavesSome({ patch, inverse }: WriteStep): boolean {
  const setsCount = patch.some(
    (one) => (one.op === 'replace' || one.op === 'add') && one.path.endsWith('/replicas') && one.value !== 0,
  );
  return setsCount || inverse.some((one) => (one.op === 'replace' || one.op === 'add') && stopsAll(one));
}

const STOPS: Readonly<Record<string, string>> = {
  'serving.kserve.io/stop': 'true',
  'autoscaling.keda.sh/paused-replicas': '0',
};

const ANNOTATIONS = '/metadata/annotations';

// A map of annotations that was not there is added as a whole.
function stopsAll({ path, value }: { readonly path: string; readonly value: unknown }): boolean {
  if (path === ANNOTATIONS) {
    return Object.entries(STOPS).some(([name, stop]) =>
      Object.entries(value ?? {}).some(([n, v]) => n === name && v === stop),
    );
  }
  const name = path.startsWith(`${ANNOTATIONS}/`) ? path.slice(ANNOTATIONS.length + 1).replaceAll('~1', '/') : '';
  return STOPS[name] !== undefined && STOPS[name] === value;
}
