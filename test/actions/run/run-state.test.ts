import { describe, expect, it } from 'vitest';
import { isEnded, moveRun, moveStep, RUN_MOVES, STEP_MOVES } from '../../../src/actions/run/run-state.ts';
import type { Run, StepRecord } from '../../../src/model/plan.ts';
import { Run as RunSchema, StepRecord as StepSchema } from '../../../src/model/plan.ts';
import { exampleRun } from '../../../src/model/plan-examples.ts';

const STATES = RunSchema.shape.state.options;
const PHASES = StepSchema.shape.phase.options;
const AT = exampleRun.startedAt + 5_000;

const LEGAL_RUN: readonly (readonly [Run['state'], Run['state']])[] = [
  ['queued', 'running'],
  ['queued', 'failed'],
  ['queued', 'aborted'],
  ['running', 'compensating'],
  ['running', 'done'],
  ['running', 'failed'],
  ['running', 'aborted'],
  ['compensating', 'rolled-back'],
  ['compensating', 'failed'],
  ['compensating', 'aborted'],
  ['done', 'compensating'],
  ['failed', 'compensating'],
  ['aborted', 'compensating'],
];

const LEGAL_STEP: readonly (readonly [StepRecord['phase'], StepRecord['phase']])[] = [
  ['pending', 'running'],
  ['pending', 'not-run'],
  ['running', 'running'],
  ['running', 'done'],
  ['running', 'failed'],
  ['done', 'undone'],
  ['done', 'failed'],
];

const has = (list: readonly (readonly [string, string])[], from: string, to: string): boolean =>
  list.some(([a, b]) => a === from && b === to);

const aStep = (phase: StepRecord['phase']): StepRecord => {
  const hasStarted = phase !== 'pending' && phase !== 'not-run';
  const times = { startedAt: hasStarted ? AT - 100 : null, endedAt: null };
  return { n: 3, phase, attempts: hasStarted ? 1 : 0, ...times, message: '' };
};

describe('a run', () => {
  for (const from of STATES) {
    for (const to of STATES) {
      const legal = has(LEGAL_RUN, from, to);
      it(`${legal ? 'goes' : 'does not go'} from ${from} to ${to}`, () => {
        const outcome = isEnded(to) ? 'ended' : null;

        const moved = moveRun({ ...exampleRun, state: from }, to, { at: AT, outcome });

        expect(moved.kind).toBe(legal ? 'moved' : 'illegal');
        if (moved.kind === 'moved') expect(moved.value).toMatchObject({ state: to, outcome, updatedAt: AT });
        expect(RUN_MOVES[from].includes(to)).toBe(legal);
      });
    }
  }

  it('ends with a sentence and with nothing less', () => {
    expect(moveRun(exampleRun, 'done', { at: AT, outcome: null }).kind).toBe('illegal');
  });

  it('has no outcome while it goes on', () => {
    expect(moveRun(exampleRun, 'compensating', { at: AT, outcome: 'over' }).kind).toBe('illegal');
  });

  it('forgets how it had ended when it is taken up again', () => {
    const ended: Run = { ...exampleRun, state: 'done', outcome: 'verified' };

    expect(moveRun(ended, 'compensating', { at: AT, outcome: null })).toMatchObject({ value: { outcome: null } });
  });
});

describe('a step', () => {
  for (const from of PHASES) {
    for (const to of PHASES) {
      const legal = has(LEGAL_STEP, from, to);
      it(`${legal ? 'goes' : 'does not go'} from ${from} to ${to}`, () => {
        const moved = moveStep(aStep(from), to, { at: AT, message: 'why' });

        expect(moved.kind).toBe(legal ? 'moved' : 'illegal');
        if (moved.kind === 'moved') expect(moved.value).toMatchObject({ n: 3, phase: to, message: 'why' });
        expect(STEP_MOVES[from].includes(to)).toBe(legal);
      });
    }
  }

  it('counts its attempts and keeps the time of the first', () => {
    const first = moveStep(aStep('pending'), 'running', { at: AT, message: '' });
    const second = first.kind === 'moved' ? moveStep(first.value, 'running', { at: AT + 9, message: '' }) : first;

    expect(second).toMatchObject({ value: { attempts: 2, startedAt: AT, endedAt: null } });
  });

  it('has not started when it was not run', () => {
    expect(moveStep(aStep('pending'), 'not-run', { at: AT, message: 'aborted' })).toMatchObject({
      value: { attempts: 0, startedAt: null, endedAt: AT },
    });
  });
});
