import type { CheckResult, Plan } from './plan.ts';

// Without these nothing is known of what the change was for.
const ESSENTIAL: ReadonlySet<string> = new Set(['rollout', 'restarts', 'oom-signature']);

/** Whether a plan wanted a verification and it saw too little to mean anything: no data is never good. */
export function isUnverified(checks: readonly CheckResult[], { steps }: Pick<Plan, 'steps'>): boolean {
  if (!steps.some(({ kind }) => kind === 'verify')) return false;
  const untold = checks.filter(({ answer }) => answer === 'could-not-tell');
  return checks.length === 0 || untold.some(({ check }) => ESSENTIAL.has(check)) || untold.length * 2 > checks.length;
}
