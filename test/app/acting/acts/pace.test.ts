import { describe, expect, it } from 'vitest';
import { paceOf, settleTime } from '../../../../src/app/acting/acts/pace.ts';
import type { Plan, PlanStep } from '../../../../src/model/plan.ts';
import { aStopBleed } from '../plans.ts';

const MINUTE = 60_000;

function planWith(readyMs: readonly number[], gone = 5 * MINUTE): Plan {
  const wait = (until: 'ready' | 'no-pods', deadlineMs: number, n: number): PlanStep => ({
    kind: 'wait',
    n,
    says: 'wait',
    until,
    replicas: 1,
    everyMs: 10_000,
    deadlineMs,
  });
  const steps = [wait('no-pods', gone, 1), ...readyMs.map((ms, i) => wait('ready', ms, i + 2))];
  return { ...aStopBleed(), steps };
}

describe('the way back', () => {
  it.each([
    ['a start of two minutes', [2], 2],
    ['a start that may take half an hour', [30], 30],
    ['the longest of its starts', [30, 90, 30], 90],
    ['no start at all', [], 0],
  ])('is watched as long as the way there: %s', (_, minutes, watched) => {
    expect(settleTime(planWith(minutes.map((one) => one * MINUTE)).steps).deadlineMs).toBe(watched * MINUTE);
  });

  it.each([2, 10, 30, 90, 600])('has its whole time of %i minutes, in no more than 41 looks', (minutes) => {
    const plan = planWith([minutes * MINUTE]);

    const { settle, stretch } = paceOf(plan);
    const { everyMs, deadlineMs } = settleTime(plan.steps);

    expect(settle * everyMs * stretch).toBeGreaterThanOrEqual(deadlineMs);
    expect(settle).toBeLessThanOrEqual(41);
    // As often as the plan itself looks, at most.
    expect(everyMs).toBeGreaterThanOrEqual(10_000);
  });
});
