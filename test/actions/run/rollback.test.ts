import { describe, expect, it } from 'vitest';
import { findObstacle } from '../../../src/actions/run/rollback.ts';
import { applyPatch } from '../../../src/model/json-patch.ts';
import type { StepRecord, WriteStep } from '../../../src/model/plan.ts';
import { examplePlan } from '../../model/plan-examples.ts';

const [FIRST] = examplePlan.steps as [WriteStep];
const { uid } = FIRST.object;
const PAUSED = 'autoscaling.keda.sh/paused-replicas';
const AT = '/metadata/annotations/autoscaling.keda.sh~1paused-replicas';

// The first annotation of an object comes with the map, which stays there for the sake of our marks.
const PAUSE: WriteStep = {
  ...FIRST,
  n: 1,
  patch: [
    { op: 'test', path: '/metadata/annotations', value: null },
    { op: 'add', path: '/metadata/annotations', value: { [PAUSED]: '0' } },
  ],
  inverse: [
    { op: 'test', path: AT, value: '0' },
    { op: 'remove', path: AT },
  ],
};
const DONE: StepRecord = { n: 1, phase: 'done', attempts: 1, startedAt: 1, endedAt: 2, message: '' };

function obstacleOn(annotations: Readonly<Record<string, string>>) {
  const objects = new Map([[uid, { metadata: { uid, annotations } }]]);
  return findObstacle([PAUSE], objects, { id: 'run_1', steps: [DONE], count: 9 });
}

describe('what stands in the way of a way back', () => {
  it('is nothing where our values stand', () => {
    expect(obstacleOn({ [PAUSED]: '0', 'oombot.dev/run': 'run_1/1' })).toBeUndefined();
  });

  it('is nothing where a bot has died between the write that takes it back and its record', () => {
    const back = applyPatch({ metadata: { annotations: { [PAUSED]: '0' } } }, PAUSE.inverse);

    expect(back).toEqual({ kind: 'applied', value: { metadata: { annotations: {} } } });
    expect(obstacleOn({ 'oombot.dev/run': 'run_1/18' })).toBeUndefined();
  });

  it.each([
    ['while the mark is of the way there', 'run_1/1'],
    ['while the mark is of another step taken back', 'run_1/17'],
    ['while the mark is of another run', 'run_2/18'],
  ])('is a value that somebody has taken away, %s', (_name, mark) => {
    expect(obstacleOn({ 'oombot.dev/run': mark })).toMatchObject({ path: AT, expected: '0' });
  });
});
