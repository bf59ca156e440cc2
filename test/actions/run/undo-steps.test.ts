import { describe, expect, it } from 'vitest';
import { undoNumber } from '../../../src/actions/run/stamp.ts';
import { invert, isMadeAtZero } from '../../../src/actions/run/undo-steps.ts';
import type { PlanStep, WriteStep } from '../../../src/model/plan.ts';
import { examplePlan } from '../../model/plan-examples.ts';

const [FIRST, WAIT] = examplePlan.steps as [WriteStep, PlanStep];

describe('a write that is taken back', () => {
  it('bears a later mark than any on the way there, and than those that were taken back before it', () => {
    expect([5, 4, 3, 1].map((n) => undoNumber(n, 5))).toEqual([6, 7, 8, 10]);
  });

  it('swaps the commands and what leads back', () => {
    expect(invert(FIRST, 6)).toMatchObject({
      n: 6,
      patch: FIRST.inverse,
      inverse: FIRST.patch,
      command: FIRST.inverseCommand,
      inverseCommand: FIRST.command,
    });
  });
});

const made: PlanStep = { kind: 'create', n: 3, says: 'c', object: FIRST.object, manifest: {}, command: '' };

it.each([
  { name: 'behind the wait', steps: [FIRST, WAIT, { ...FIRST, n: 3 }], n: 3, is: true },
  { name: 'with what is created for it between', steps: [FIRST, WAIT, made, { ...FIRST, n: 4 }], n: 4, is: true },
  { name: 'behind another write', steps: [FIRST, WAIT, { ...FIRST, n: 3 }, { ...FIRST, n: 4 }], n: 4, is: false },
  { name: 'the first of all', steps: [FIRST], n: 1, is: false },
  { name: 'no step', steps: [FIRST, WAIT], n: undefined, is: false },
])('a step that was made once no pod was left: $name: $is', ({ steps, n, is }) => {
  expect(isMadeAtZero({ steps: [...steps] as PlanStep[] }, n)).toBe(is);
});
