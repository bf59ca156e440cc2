import type { Plan, StepRecord, WriteStep } from '../../model/plan.ts';
import { changesBack } from './way-back.ts';

/** One write taken back: `of` is the step it undoes. */
export type UndoStep = { readonly of: number; readonly step: WriteStep };

/**
 * The inverses of the writes that are done, the last one first. They are numbered behind the plan's steps, so that
 * their marks are later than every mark of the way forward. What was created is left where it is.
 */
export function undoSteps(plan: Pick<Plan, 'steps'>, records: readonly StepRecord[]): readonly UndoStep[] {
  const done = new Set(records.filter(({ phase }) => phase === 'done').map(({ n }) => n));
  return plan.steps
    .filter((step): step is WriteStep => step.kind === 'write' && done.has(step.n) && changesBack(step))
    .toSorted((a, b) => b.n - a.n)
    .map((step) => ({ of: step.n, step: invert(step, undoNumber(step.n, plan.steps.length)) }));
}

const ROLL_OUT = ['/spec/strategy', '/spec/updateStrategy', '/spec/rolloutStrategy'];

/** Whether a field says how replicas are replaced. */
export function isRollOutPath(path: string): boolean {
  return ROLL_OUT.some((root) => path === root || path.startsWith(`${root}/`));
}

function setsRollOut({ patch }: WriteStep): boolean {
  return patch.every(({ op, path }) => op === 'test' || isRollOutPath(path));
}

/**
 * Whether the cluster has to follow before a step is taken back: the settings of the roll-out go back only once what was
 * changed under them has. Otherwise the way back itself is rolled out as they were, and may wait for a GPU for ever.
 */
export function followsBack({ steps }: Pick<Plan, 'steps'>, step: WriteStep, reached: number): boolean {
  if (isMadeAtZero({ steps }, step.n)) return true;
  if (!setsRollOut(step)) return false;
  return steps.some(
    (one) => one.kind === 'write' && one.n > step.n && one.n <= reached && changesBack(one) && !setsRollOut(one),
  );
}

/** Whether a step was made once no pod was left: taken back sooner, pods that are still there would be rolled out beside new ones. */
export function isMadeAtZero({ steps }: Pick<Plan, 'steps'>, n: number | undefined): boolean {
  const before = steps.find((step) => step.n + 1 === n);
  return before?.kind === 'wait' && before.until === 'no-pods';
}

/** The number of a way back: above those of all steps, and growing as the way back goes on. */
export function undoNumber(n: number, count: number): number {
  return 2 * count + 1 - n;
}

/** A write that goes the other way. */
export function invert(step: WriteStep, n: number): WriteStep {
  return {
    ...step,
    n,
    says: `take back: ${step.says}`,
    patch: step.inverse,
    inverse: step.patch,
    command: step.inverseCommand,
    inverseCommand: step.command,
  };
}
