import { describe, expect, it } from 'vitest';
import { countBefore, countOfRuns, type RunOfPlan } from '../../../src/actions/run/replicas-before.ts';
import { readRollbackNote, writeRollbackNote } from '../../../src/actions/run/rollback-note.ts';
import { ROLLBACK_ANNOTATION } from '../../../src/actions/run/stamp.ts';
import type { WriteStep } from '../../../src/model/plan.ts';
import * as given from '../objects.ts';
import { LOWER, outlineOf, planOf } from './harness.ts';

const STOP = 'serving.kserve.io/stop';
const IDLE = { action: 'scale-to-zero', edits: [], toZero: true } as const;

function writesOf(over: Parameters<typeof planOf>[0]) {
  const plan = planOf({ ...IDLE, ...over });
  return { plan, writes: plan.steps.filter((step): step is WriteStep => step.kind === 'write') };
}

/** What was stopped by a run of ours, with the note that the run left on it. */
function stopped(replicas: number | undefined) {
  const { metadata, ...rest } = given.anInferenceService();
  const note = { incident: 'inc_1', by: 'U_ONCALL', at: '2026-01-15T03:00:00Z', before: {}, replicas };
  const annotations = { [STOP]: 'true', [ROLLBACK_ANNOTATION]: JSON.stringify(note) };
  return { ...rest, metadata: { ...(metadata as object), annotations } };
}

describe('the count before zero', () => {
  it.each([
    ['a field', { object: given.aDeployment({ replicas: 3, ready: 0 }) }, 3],
    ['a stop, by the pods that were there', { object: given.anInferenceService(), pods: { ready: 1, total: 4 } }, 2],
    [
      'a stop, by more that serve than its minimum',
      { object: given.anInferenceService(), pods: { ready: 4, total: 4 } },
      4,
    ],
  ])('is known of %s', (_, over, count) => {
    const { plan, writes } = writesOf(over);

    expect(countBefore(writes, plan.serving)).toBe(count);
  });

  it('is none where nothing went to zero', () => {
    const { plan, writes } = writesOf({ action: 'set-args', object: given.aDeployment({ ready: 0 }), edits: [LOWER] });

    expect(countBefore(writes, plan.serving)).toBeNull();
    expect(countBefore([], { total: 2 })).toBeNull();
  });

  it('stands in the note on the object, for a bot that has lost its store', () => {
    const { plan, writes } = writesOf({ object: given.anInferenceService(), pods: { ready: 4, total: 4 } });
    const uid = writes[0]?.object.uid ?? '';

    const text = writeRollbackNote(plan, uid, { incident: 'inc_1', by: 'U_ONCALL', at: '2026-01-15T03:00:00Z' });

    expect(readRollbackNote({ metadata: { annotations: { [ROLLBACK_ANNOTATION]: text } } })?.replicas).toBe(4);
  });
});

type State = RunOfPlan['run']['state'];

/** An ended run whose steps were all done, or all taken back. */
function ranOf(over: Parameters<typeof planOf>[0], state: State, phase: 'undone' | 'done' = 'done'): RunOfPlan {
  const plan = planOf({ edits: [], ...over });
  const step = { attempts: 1, startedAt: 0, endedAt: 0, message: '' };
  return { plan, run: { state, steps: plan.steps.map(({ n }) => ({ ...step, n, phase })) } };
}

describe('the count of some runs', () => {
  const at = (replicas: number) => given.aDeployment({ replicas, ready: 0 });
  const down = ranOf({ ...IDLE, object: at(3) }, 'done');
  const args = ranOf({ action: 'set-args', edits: [LOWER], object: at(0) }, 'done');
  const up = { action: 'scale-up', object: at(0), recordedReplicas: 3 } as const;

  it.each<[string, readonly RunOfPlan[], number | null]>([
    ['none', [], null],
    ['the step to zero alone', [down], 3],
    ['other runs since', [down, args, args], 3],
    [
      'one since that was taken back',
      [down, ranOf({ action: 'set-args', edits: [LOWER], object: at(0) }, 'rolled-back', 'undone')],
      3,
    ],
    [
      'a step to zero that was taken back',
      [down, ranOf({ ...IDLE, object: at(5) }, 'rolled-back', 'undone'), args],
      null,
    ],
    ['a later step to zero', [down, args, ranOf({ ...IDLE, object: at(2) }, 'done')], 2],
    ['a way up since', [down, ranOf(up, 'done'), args], null],
    ['a way up that has failed', [down, ranOf(up, 'failed')], 3],
    ['a way up that was taken back', [down, ranOf(up, 'rolled-back', 'undone')], 3],
    [
      'a stop that was ended since',
      [
        ranOf({ ...IDLE, object: given.anInferenceService(), pods: { ready: 4, total: 4 } }, 'done'),
        ranOf({ ...up, object: stopped(4), pods: { ready: 0, total: 0 } }, 'done'),
      ],
      null,
    ],
  ])('is that of the latest that went to zero and was not ended: %s', (_, runs, count) => {
    expect(countOfRuns(runs)).toBe(count);
  });
});

describe('the note of a run on what stands at zero', () => {
  const note = { incident: 'inc_1', by: 'U_ONCALL', at: '2026-01-15T03:00:00Z', before: {}, replicas: 3 };
  const noted = (replicas: number) => {
    const { metadata, ...rest } = given.aDeployment({ replicas, ready: 0 });
    return {
      ...rest,
      metadata: { ...(metadata as object), annotations: { [ROLLBACK_ANNOTATION]: JSON.stringify(note) } },
    };
  };

  it.each([
    ['keeps the count of the one before', 0, 3],
    ['drops it once the workload is up', 3, undefined],
  ])('%s', (_, replicas, count) => {
    const object = noted(replicas);
    const { plan, writes } = writesOf({ action: 'set-args', edits: [LOWER], object });
    const { before: _before, replicas: _replicas, ...who } = note;

    const text = writeRollbackNote(plan, writes[0]?.object.uid ?? '', { ...who, object });

    expect(JSON.parse(text).replicas).toBe(count);
  });
});

describe('a service that was stopped', () => {
  const up = { action: 'scale-up', edits: [], pods: { ready: 0, total: 0 } } as const;

  it.each([
    ['the store', { object: stopped(undefined), recordedReplicas: 4 }],
    ['the note on it', { object: stopped(4), recordedReplicas: null }],
  ])('comes back with its minimum, and says what ran before, by %s', (_, over) => {
    const { steps, hazards } = planOf({ ...up, ...over });

    expect(outlineOf(steps).join(', ')).toBe('InferenceService: stop gone, ready 2, verify 2');
    expect(hazards.map(({ says }) => says).join(' ')).toMatch(/4 replicas were recorded .* starts with 2/);
  });

  it('says nothing of a count that is the same', () => {
    const { hazards } = planOf({ ...up, object: stopped(undefined), recordedReplicas: 2 });

    expect(hazards.map(({ id }) => id)).not.toContain('recorded-count');
  });
});
