import type { Plan, WriteStep } from '../../model/plan.ts';
import { changesBack } from './rollback.ts';

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
  // What is made beside it under a new name takes nothing away.
  const before = steps.findLast((step) => step.n < (n ?? 0) && step.kind !== 'create');
  return before?.kind === 'wait' && before.until === 'no-pods';
}

/** A write that goes the other way. */
export function invert(step: WriteStep, n: number): WriteStep {
  return {
    ...step,
    n,
    says: `roll back: ${step.says}`,
    patch: step.inverse,
    inverse: step.patch,
    command: step.inverseCommand,
    inverseCommand: step.command,
  };
}
