import { describe, expect, it } from 'vitest';
import { undoSteps } from '../../../src/actions/run/undo-steps.ts';
import { applyPatch } from '../../../src/model/json-patch.ts';
import type { PlanStep, StepRecord, WriteStep } from '../../../src/model/plan.ts';
import { examplePlan } from '../../../src/model/plan-examples.ts';

const [FIRST, WAIT] = examplePlan.steps as [WriteStep, PlanStep];

function aWrite(n: number, path: string, [from, to]: readonly [unknown, unknown]): WriteStep {
  const set = (was: unknown, will: unknown): WriteStep['patch'] => [
    { op: 'test', path, value: was as never },
    { op: 'replace', path, value: will as never },
  ];
  return { ...FIRST, n, says: `set ${path}`, patch: set(from, to), inverse: set(to, from) };
}

const aRecord = (n: number, phase: StepRecord['phase']): StepRecord => ({
  n,
  phase,
  attempts: 1,
  startedAt: 1,
  endedAt: 2,
  message: '',
});

const STEPS: readonly PlanStep[] = [
  aWrite(1, '/spec/replicas', [2, 0]),
  { ...WAIT, n: 2 },
  aWrite(3, '/spec/args', ['old', 'new']),
  aWrite(4, '/spec/replicas', [0, 1]),
  aWrite(5, '/spec/replicas', [1, 2]),
];

describe('undoing', () => {
  it('takes the writes that are done back, the last one first, and leads to where it began', () => {
    const done = [1, 2, 3, 4].map((n) => aRecord(n, 'done'));

    const undone = undoSteps({ steps: [...STEPS] }, [...done, aRecord(5, 'not-run')]);

    expect(undone.map(({ of }) => of)).toEqual([4, 3, 1]);
    const patches = undone.flatMap(({ step }) => step.patch);
    expect(applyPatch({ spec: { replicas: 1, args: 'new' } }, patches)).toEqual({
      kind: 'applied',
      value: { spec: { replicas: 2, args: 'old' } },
    });
  });

  it('numbers them behind the plan, so that each mark is later than the one it finds', () => {
    const undone = undoSteps(
      { steps: [...STEPS] },
      STEPS.map(({ n }) => aRecord(n, 'done')),
    );

    expect(undone.map(({ step }) => step.n)).toEqual([6, 7, 8, 10]);
  });

  it('swaps the commands and what leads back', () => {
    const [undone] = undoSteps({ steps: [...STEPS] }, [aRecord(1, 'done')]);

    expect(undone?.step).toMatchObject({
      command: FIRST.inverseCommand,
      inverseCommand: FIRST.command,
      inverse: (STEPS[0] as WriteStep).patch,
    });
  });

  it.each<{ phase: StepRecord['phase'] }>([
    { phase: 'pending' },
    { phase: 'running' },
    { phase: 'failed' },
    { phase: 'undone' },
    { phase: 'not-run' },
  ])('leaves a step that is $phase', ({ phase }) => {
    expect(undoSteps({ steps: [...STEPS] }, [aRecord(1, phase)])).toEqual([]);
  });

  it('leaves what was created, and what can not be taken back', () => {
    const restart: WriteStep = { ...FIRST, n: 2, inverse: [{ op: 'test', path: '/a', value: 1 }] };
    const created: PlanStep = { kind: 'create', n: 1, says: 'c', object: FIRST.object, manifest: {}, command: '' };

    expect(undoSteps({ steps: [created, restart] }, [aRecord(1, 'done'), aRecord(2, 'done')])).toEqual([]);
  });
});
