import { describe, expect, it } from 'vitest';
import { countBefore } from '../../../src/actions/plan/count-before.ts';
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

describe('a service that was stopped', () => {
  const up = { action: 'scale-up', edits: [], pods: { ready: 0, total: 0 } } as const;

  it.each([
    ['the store', { object: stopped(undefined), recordedReplicas: 4 }],
    ['the note on it', { object: stopped(4), recordedReplicas: null }],
  ])('comes back with its minimum, and says what ran before, by %s', (_, over) => {
    const { steps, hazards } = planOf({ ...up, ...over });

    expect(outlineOf(steps)).toEqual(['InferenceService: stop gone', 'ready 2', 'verify 2']);
    expect(hazards.map(({ says }) => says).join(' ')).toMatch(/4 replicas were recorded .* starts with 2/);
  });

  it('says nothing of a count that is the same', () => {
    const { hazards } = planOf({ ...up, object: stopped(undefined), recordedReplicas: 2 });

    expect(hazards.map(({ id }) => id)).not.toContain('recorded-count');
  });
});
