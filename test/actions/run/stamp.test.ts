import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRollbackNote, writeRollbackNote } from '../../../src/actions/run/rollback-note.ts';
import { judgeWrite, readStamp, stampPatch } from '../../../src/actions/run/stamp.ts';
import { invert } from '../../../src/actions/run/undo-steps.ts';
import { applyPatch } from '../../../src/model/json-patch.ts';
import type { WriteStep } from '../../../src/model/plan.ts';
import { examplePlan } from '../../model/plan-examples.ts';

const [STEP] = examplePlan.steps as [WriteStep];
const { uid } = STEP.object;
const RUN = 'run_00000000000000000001';

type Over = { replicas?: number; annotations?: Record<string, string> | undefined; uid?: string };

const anObject = (over: Over = {}) => ({
  metadata: { uid: over.uid ?? uid, ...('annotations' in over ? { annotations: over.annotations } : {}) },
  spec: { replicas: over.replicas ?? 2 },
});
const stamped = (stamp: string, replicas: number) => anObject({ replicas, annotations: { 'oombot.dev/run': stamp } });

/** The object after all parts of a write were taken; a part that fails leaves it. */
function write(step: WriteStep, object: unknown, runId = RUN): unknown {
  return stampPatch(step, object, { runId }).reduce((now, { patch }) => {
    const done = applyPatch(now, patch);
    return done.kind === 'applied' ? done.value : now;
  }, object);
}

describe('the mark of a run', () => {
  it.each<[name: string, object: unknown, stamp: unknown]>([
    ['none', anObject(), undefined],
    ['a run and a step', stamped('run_1/12', 0), { runId: 'run_1', n: 12 }],
    ['no step', stamped('run_1', 0), undefined],
    ['step zero', stamped('run_1/0', 0), undefined],
    ['somebody else’s words', stamped('by hand/later', 0), undefined],
    ['no object', null, undefined],
    ['annotations that are none', { metadata: { annotations: ['x'] } }, undefined],
  ])('reads %s', (_name, object, stamp) => {
    expect(readStamp(object)).toEqual(stamp);
  });

  it.each<[name: string, object: unknown]>([
    ['without annotations', anObject()],
    ['with annotations of others', anObject({ annotations: { a: '1' } })],
    ['with the mark of an older run', stamped('run_0/7', 2)],
  ])('is set together with the values on an object %s', (_name, object) => {
    const after = write(STEP, object);

    expect(readStamp(after)).toEqual({ runId: RUN, n: 1 });
    expect(after).toMatchObject({ spec: { replicas: 0 } });
  });

  it('keeps the annotations of others', () => {
    expect(write(STEP, anObject({ annotations: { a: '1' } }))).toMatchObject({ metadata: { annotations: { a: '1' } } });
  });

  it('is kept by a step that makes the map of annotations itself', () => {
    const pause: WriteStep = {
      ...STEP,
      patch: [{ op: 'add', path: '/metadata/annotations', value: { paused: '0' } }],
      inverse: [{ op: 'remove', path: '/metadata/annotations/paused' }],
    };

    expect(write(pause, anObject())).toMatchObject({ metadata: { annotations: { paused: '0' } } });
  });

  it.each<[name: string, other: unknown]>([
    ['another object of the same name', anObject({ uid: 'another' })],
    ['a mark that has changed since', stamped('run_9/1', 2)],
    ['values that have changed since', stamped('run_0/7', 3)],
  ])('is refused by %s', (_name, other) => {
    const [part] = stampPatch(STEP, stamped('run_0/7', 2), { runId: RUN });

    expect(applyPatch(other, part?.patch ?? []).kind).toBe('failed');
  });

  it.each<[name: string, before: unknown]>([
    ['no annotations', anObject()],
    ['annotations of others', anObject({ annotations: { a: '1' } })],
  ])('refuses a first write that comes late, even where its values stand again: %s', (_name, before) => {
    const pause: WriteStep = { ...STEP, patch: [{ op: 'add', path: '/spec/paused', value: 0 }] };
    const [late] = stampPatch(pause, before, { runId: RUN });

    const resumed = { ...(write(pause, before) as object), spec: { replicas: 2 } };

    expect(applyPatch(resumed, late?.patch ?? []).kind).toBe('failed');
  });

  it('goes onto the parent first where only the scale can be written', () => {
    const parts = stampPatch({ ...STEP, subresource: 'scale' }, anObject(), { runId: RUN });

    expect(parts.map(({ subresource }) => subresource)).toEqual(['none', 'scale']);
    expect(parts[0]?.patch).not.toContainEqual(expect.objectContaining({ path: '/spec/replicas' }));
    expect(parts[1]?.patch).toEqual(STEP.patch);
  });
});

describe('the note of the values before', () => {
  const WHO = { incident: 'inc_1', by: 'U_APPROVER', at: '2026-01-15T03:00:00.000Z' };

  it('goes out with the first write of a run, and not with the next', () => {
    const rollback = writeRollbackNote(examplePlan, uid, WHO);
    const names = (object: unknown, n: number): string[] =>
      stampPatch({ ...STEP, n }, object, { runId: RUN, rollback }).flatMap(({ patch }) =>
        patch.map(({ path }) => path),
      );

    expect(names(stamped('run_0/7', 2), 1)).toContain('/metadata/annotations/oombot.dev~1rollback');
    expect(names(stamped(`${RUN}/1`, 2), 2)).not.toContain('/metadata/annotations/oombot.dev~1rollback');
  });

  it('holds what stood at each path before the first write there', () => {
    const later: WriteStep = { ...STEP, n: 5, inverse: [{ op: 'replace', path: '/spec/replicas', value: 1 }] };
    const rollback = writeRollbackNote({ ...examplePlan, steps: [...examplePlan.steps, later] }, uid, WHO);

    const note = readRollbackNote(anObject({ annotations: { 'oombot.dev/rollback': rollback } }));

    expect(note).toEqual({ ...WHO, replicas: 2, before: { '/spec/replicas': 2 } });
  });

  it('says nothing of other objects', () => {
    expect(JSON.parse(writeRollbackNote(examplePlan, 'another', WHO))).toMatchObject({ before: {} });
  });

  it('leaves the values to the store where they are longer than an annotation should be', () => {
    const long: WriteStep = { ...STEP, inverse: [{ op: 'replace', path: '/a', value: 'ü'.repeat(2100) }] };

    const note = writeRollbackNote({ ...examplePlan, steps: [long] }, uid, WHO);

    expect(Buffer.byteLength(note)).toBeLessThan(4096);
    expect(JSON.parse(note)).toEqual({ ...WHO, replicas: 2, before: null });
  });

  it.each(['', '{', '[]', '{"incident":1}'])('is nothing where it cannot be read: %j', (text) => {
    expect(readRollbackNote(anObject({ annotations: { 'oombot.dev/rollback': text } }))).toBeUndefined();
  });
});

describe('whether a write is still to be made', () => {
  it.each<[name: string, object: unknown, judged: unknown]>([
    ['nothing of it stands there', anObject(), 'apply'],
    ['another run was there, the values are as planned', stamped('run_0/9', 2), 'apply'],
    ['an earlier step of this run', stamped(`${RUN}/2`, 2), 'apply'],
    ['this step', stamped(`${RUN}/3`, 0), 'already'],
    ['this step, put back since', stamped(`${RUN}/3`, 2), 'already'],
    ['a later step', stamped(`${RUN}/4`, 1), 'already'],
    ['values of somebody else', anObject({ replicas: 5 }), { conflict: '/spec/replicas', expected: 2, found: 5 }],
    ['our values without our mark', anObject({ replicas: 0 }), { conflict: '/spec/replicas', expected: 2, found: 0 }],
    [
      'another object of the same name',
      anObject({ uid: 'another' }),
      { conflict: '/metadata/uid', expected: uid, found: 'another' },
    ],
    [
      'an object that is being deleted',
      { ...anObject(), metadata: { uid, deletionTimestamp: '2026-01-15T03:00:00Z' } },
      { conflict: '/metadata/deletionTimestamp', expected: undefined, found: '2026-01-15T03:00:00Z' },
    ],
  ])('%s', (_name, object, judged) => {
    expect(judgeWrite(object, { ...STEP, n: 3 }, RUN)).toEqual(judged);
  });

  it('names a path that is gone', () => {
    const step: WriteStep = { ...STEP, patch: [{ op: 'remove', path: '/spec/x' }] };

    expect(judgeWrite(anObject(), step, RUN)).toEqual({ conflict: '/spec/x', expected: undefined, found: undefined });
  });

  it.each<[name: string, mark: string, count: number, judged: unknown]>([
    ['not begun', 'run_0/1', 2, 'apply'],
    ['marked, the count not yet written', `${RUN}/1`, 2, 'apply'],
    ['marked, the count written', `${RUN}/1`, 0, 'already'],
    ['gone on since', `${RUN}/2`, 2, 'already'],
    ['marked, somebody else’s count', `${RUN}/1`, 7, { conflict: '/spec/replicas', expected: 2, found: 7 }],
  ])('by the scale: %s', (_name, mark, count, judged) => {
    const scale = { spec: { replicas: count } };

    expect(judgeWrite(stamped(mark, 2), { ...STEP, subresource: 'scale' }, RUN, scale)).toEqual(judged);
  });

  it('is no after it was made, whatever was there, and its way back leads to the same values', () => {
    fc.assert(
      fc.property(fc.nat(9), fc.option(fc.dictionary(fc.string(), fc.string())), (replicas, annotations) => {
        const before = anObject({ replicas, annotations: annotations ?? undefined });
        const set = (from: number, to: number): WriteStep['patch'] => [
          { op: 'test', path: '/spec/replicas', value: from },
          { op: 'replace', path: '/spec/replicas', value: to },
        ];
        const step: WriteStep = { ...STEP, patch: set(replicas, 11), inverse: set(11, replicas) };

        const after = write(step, before);
        const back = write(invert(step, 2), after);

        expect(judgeWrite(after, step, RUN)).toBe('already');
        expect(write(step, after)).toEqual(after);
        expect(judgeWrite(back, invert(step, 2), RUN)).toBe('already');
        expect(back).toMatchObject({ spec: { replicas }, metadata: annotations === null ? {} : { annotations } });
      }),
      { seed: 4, numRuns: 60 },
    );
  });

  it('never throws, whatever the object is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (object, scale) => {
        judgeWrite(object, STEP, RUN, scale);
        judgeWrite(object, { ...STEP, subresource: 'scale' }, RUN, scale);
        stampPatch(STEP, object, { runId: RUN, rollback: '{}' });
        readRollbackNote(object);
      }),
      { seed: 4, numRuns: 200 },
    );
  });
});

it.each(['none', 'scale'] as const)(
  'a patch of a step is refused by an object of the name that was made anew (%s)',
  (subresource) => {
    const [first] = stampPatch({ ...STEP, subresource }, anObject(), { runId: RUN });

    expect(applyPatch(anObject(), first?.patch ?? []).kind).toBe('applied');
    expect(applyPatch(anObject({ uid: 'another' }), first?.patch ?? [])).toMatchObject({ kind: 'failed', at: 0 });
  },
);
