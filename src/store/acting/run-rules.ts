import type { CheckResult, Plan, Run, StepRecord } from '../../model/plan.ts';

export const ACTIVE: readonly Run['state'][] = ['queued', 'running', 'compensating'];

export function isActive({ state }: Pick<Run, 'state'>): boolean {
  return ACTIVE.includes(state);
}

/** A run as it begins: queued, with every step of its plan still to come. */
export function queuedRun(id: string, plan: Plan, { who, at }: { readonly who: string; readonly at: number }): Run {
  const steps = plan.steps.map(
    ({ n }): StepRecord => ({ n, phase: 'pending', attempts: 0, startedAt: null, endedAt: null, message: '' }),
  );
  const { incidentId, target } = plan;
  const times = { startedAt: at, updatedAt: at };
  const rest = { command: 'none' as const, commandBy: null, startedBy: who, outcome: null };
  return { id, planId: plan.id, incidentId, target, state: 'queued', steps, checks: [], ...rest, ...times };
}

/** What a command finds: `too-late` changes nothing, `same` stands already, `reopen` takes an ended run up again. */
type CommandFate = 'too-late' | 'same' | 'write' | 'reopen';

const BACK: readonly Run['state'][] = ['done', 'failed', 'aborted'];

/** Whether a command can still have its effect. `free`: no other run is under way on the workload. */
export function fateOf(run: Run, command: Run['command'], free: boolean): CommandFate {
  if (!isActive(run)) return command === 'roll-back' && BACK.includes(run.state) && free ? 'reopen' : 'too-late';
  if (run.command === command) return 'same';
  return MAY_FOLLOW[command].includes(run.command) && inTime(run, command) ? 'write' : 'too-late';
}

// Abandoning a run overrides earlier wishes; nothing undoes an abandonment.
const MAY_FOLLOW: Readonly<Record<Run['command'], readonly Run['command'][]>> = {
  // The run has taken the word to go on, and the next one is another.
  none: ['keep'],
  keep: ['none'],
  'roll-back': ['none', 'keep'],
  abort: ['none', 'keep'],
  abandon: ['none', 'keep', 'abort', 'roll-back'],
};

// A run that is rolling back can only be abandoned.
function inTime({ state }: Run, command: Run['command']): boolean {
  return state !== 'compensating' || command === 'abandon';
}

const RANK: Readonly<Record<Run['state'], number>> = {
  queued: 0,
  running: 1,
  compensating: 2,
  done: 3,
  failed: 3,
  'rolled-back': 3,
  aborted: 3,
};

/** A run only moves forward: one that was frozen and thawed cannot undo what another execution has written, and the first end counts. */
export function mayMove(from: Run['state'], to: Run['state']): boolean {
  return RANK[to] > RANK[from];
}

/** What is done stays done: it can be undone, or fail to be undone, but not begin again. */
export function mayRecord(before: StepRecord | undefined, next: StepRecord): boolean {
  if (before === undefined) return true;
  if (before.phase === 'undone') return next.phase === 'undone';
  return before.phase !== 'done' || ['done', 'undone', 'failed'].includes(next.phase);
}

export function isEnded({ phase }: StepRecord): boolean {
  return phase === 'done' || phase === 'failed' || phase === 'undone';
}

/** All checks in one word: failed outweighs no data, and that outweighs passed. */
export function answerOf(checks: readonly CheckResult[]): CheckResult['answer'] | undefined {
  if (checks.length === 0) return undefined;
  if (checks.some(({ answer }) => answer === 'no')) return 'no';
  return checks.some(({ answer }) => answer === 'could-not-tell') ? 'could-not-tell' : 'yes';
}
