import type { Run, StepRecord } from '../../model/plan.ts';

type RunState = Run['state'];
type StepPhase = StepRecord['phase'];

/** Where a run may go from each state. What has ended may only go back, and what went back stays. */
export const RUN_MOVES: Readonly<Record<RunState, readonly RunState[]>> = {
  queued: ['running', 'failed', 'aborted'],
  running: ['compensating', 'done', 'failed', 'aborted'],
  compensating: ['rolled-back', 'failed', 'aborted'],
  done: ['compensating'],
  failed: ['compensating'],
  aborted: ['compensating'],
  'rolled-back': [],
};

/** Where a step may go. `running` to `running` is another attempt; a step that is done may be undone, or fail to be. */
export const STEP_MOVES: Readonly<Record<StepPhase, readonly StepPhase[]>> = {
  pending: ['running', 'not-run'],
  running: ['running', 'done', 'failed'],
  done: ['undone', 'failed'],
  failed: [],
  undone: [],
  'not-run': [],
};

const ENDED: readonly RunState[] = ['done', 'failed', 'aborted', 'rolled-back'];

export function isEnded(state: RunState): boolean {
  return ENDED.includes(state);
}

export type Moved<T> =
  | { readonly kind: 'moved'; readonly value: T }
  | { readonly kind: 'illegal'; readonly says: string };

/** The run in its next state. An end has one sentence on how it ended, anything else has none. */
export function moveRun(run: Run, to: RunState, { at, outcome }: { at: number; outcome: string | null }): Moved<Run> {
  if (!RUN_MOVES[run.state].includes(to)) return illegal(`a run that is ${run.state} can not become ${to}`);
  if (isEnded(to) !== (outcome !== null)) {
    return illegal(isEnded(to) ? `a run that is ${to} needs its outcome` : `a run that is ${to} has no outcome yet`);
  }
  return { kind: 'moved', value: { ...run, state: to, outcome, updatedAt: at } };
}

/** The record of a step in its next phase. `startedAt` stays that of the first attempt. */
export function moveStep(
  record: StepRecord,
  to: StepPhase,
  { at, message }: { at: number; message: string },
): Moved<StepRecord> {
  if (!STEP_MOVES[record.phase].includes(to)) {
    return illegal(`step ${record.n} is ${record.phase} and can not become ${to}`);
  }
  const begins = to === 'running';
  return {
    kind: 'moved',
    value: {
      ...record,
      phase: to,
      attempts: record.attempts + (begins ? 1 : 0),
      startedAt: record.startedAt ?? (begins ? at : null),
      endedAt: begins ? null : at,
      message,
    },
  };
}

function illegal(says: string): { kind: 'illegal'; says: string } {
  return { kind: 'illegal', says };
}
