import type { Plan, WriteStep } from '../../model/plan.ts';
import { changesBack } from './rollback.ts';

const ROLLOUT_SETTINGS = ['/spec/strategy', '/spec/updateStrategy', '/spec/rolloutStrategy'];

/** Whether a field says how replicas are replaced. */
export function isRolloutPath(path: string): boolean {
  return ROLLOUT_SETTINGS.some((root) => path === root || path.startsWith(`${root}/`));
}

function setsRollout({ patch }: WriteStep): boolean {
  return patch.every(({ op, path }) => op === 'test' || isRolloutPath(path));
}

/**
 * Whether the rollout has to finish before a step is rolled back: rollout settings are restored only once what was
 * changed under them has. Otherwise the rollback itself uses the old settings, and may wait for a GPU forever.
 */
export function followsBack({ steps }: Pick<Plan, 'steps'>, step: WriteStep, reached: number): boolean {
  if (isMadeAtZero({ steps }, step.n)) return true;
  if (!setsRollout(step)) return false;
  return steps.some(
    (one) => one.kind === 'write' && one.n > step.n && one.n <= reached && changesBack(one) && !setsRollout(one),
  );
}

/** Whether a step was applied once all pods were gone: rolled back sooner, remaining pods would run next to new ones. */
export function isMadeAtZero({ steps }: Pick<Plan, 'steps'>, n: number | undefined): boolean {
  // An object created under a new name removes nothing.
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
