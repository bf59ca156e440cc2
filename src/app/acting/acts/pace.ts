import type { Plan, PlanStep, WaitStep } from '../../../model/plan.ts';

// openworkflow ends a run at 1,000 step attempts. A poll is two of them, the look and the sleep after it.
const POLLS = 300;
// The looks at 10 s, 60 s and 5 min after the last write may fall between two polls.
const MARKS = 4;
const SETTLE_EVERY_MS = 15_000;
// However long a start may take: the rollback of a plan may wait at several places.
const SETTLE_POLLS = 40;

/** How often each place of a run is asked. */
export type Pace = { readonly stretch: number; readonly tries: (step: PlanStep) => number; readonly settle: number };

/** Spreads the polls of a plan and its rollback so that they stay below what the workflow engine allows for one run. */
export function paceOf({ steps }: Plan): Pace {
  const wanted = steps.reduce((sum, step) => sum + pollsOf(step), settlePolls(steps));
  const stretch = Math.max(1, wanted / POLLS);
  return {
    stretch,
    tries: (step) => Math.ceil(pollsOf(step) / stretch) + MARKS,
    settle: Math.ceil(settlePolls(steps) / stretch) + 1,
  };
}

/** How long and how often a rollback is polled until its replicas are ready: the same as for the change itself. */
export function settleTime(steps: readonly PlanStep[]): { readonly deadlineMs: number; readonly everyMs: number } {
  const waits = steps.filter((step): step is WaitStep => step.kind === 'wait' && step.until === 'ready');
  const deadlineMs = Math.max(0, ...waits.map((wait) => wait.deadlineMs));
  const everyMs = Math.min(SETTLE_EVERY_MS, ...waits.map((wait) => wait.everyMs));
  return { deadlineMs, everyMs: Math.max(everyMs, Math.ceil(deadlineMs / SETTLE_POLLS)) };
}

function settlePolls(steps: readonly PlanStep[]): number {
  const { deadlineMs, everyMs } = settleTime(steps);
  return Math.ceil(deadlineMs / everyMs);
}

function pollsOf(step: PlanStep): number {
  if (step.kind === 'wait' && step.until === 'drained') {
    return Math.ceil(step.deadlineMs / step.everyMs) + Math.ceil(ASK_MS / ASK_EVERY_MS);
  }
  if (step.kind === 'wait') return Math.ceil(step.deadlineMs / step.everyMs);
  return step.kind === 'verify' ? Math.ceil(step.forMs / step.everyMs) : 0;
}

/** How long a run waits for somebody to say whether requests may be cut. */
export const ASK_MS = 30 * 60_000;
/** How often it looks meanwhile. */
export const ASK_EVERY_MS = 15_000;
