import type { PlanStep } from '../../model/plan.ts';
import { changesBack } from '../run/rollback.ts';

/** The commands of the steps, and as remarks those that lead back: what is pasted as a whole must not undo itself. */
export function sayByHand(steps: readonly PlanStep[]): readonly string[] {
  const there = steps.flatMap((step) => ('command' in step ? [step.command] : []));
  const back = steps
    .toReversed()
    .flatMap((step) => (step.kind === 'write' && changesBack(step) ? [step.inverseCommand] : []));
  return [...there, ...rollbackRemarks(back)];
}

/** Commands that lead back, as remarks. */
export function rollbackRemarks(commands: readonly string[]): readonly string[] {
  return commands.length === 0 ? [] : ['# Rollback:', ...commands.map((command) => `# ${command}`)];
}
