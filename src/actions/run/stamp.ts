import { z } from 'zod';
import { applyPatch, toPointer, valueAt } from '../../model/json-patch.ts';
import { labels, lenient, text } from '../../model/lenient.ts';
import type { PatchOperation, WriteStep } from '../../model/plan.ts';

/** `<run>/<n>`: the run that wrote last, and its step. On the owner's metadata: on the pod template it would roll the pods. */
export const RUN_ANNOTATION = 'oombot.dev/run';
/** The values before the run's first change, as JSON: a rollback for someone who has lost the store. */
export const ROLLBACK_ANNOTATION = 'oombot.dev/rollback';

type Stamp = { readonly runId: string; readonly n: number };

const Marked = z.looseObject({
  metadata: lenient(z.looseObject({ uid: text, annotations: labels, deletionTimestamp: text })),
});

/** Identity and annotations of an object; nothing of what is none. */
export function readMarks(object: unknown) {
  const { uid, annotations, deletionTimestamp } = Marked.safeParse(object).data?.metadata ?? {};
  return { uid, annotations, deletionTimestamp };
}

/** The run and step that an object carries; undefined where none has written it, or where the mark is not ours. */
export function readStamp(object: unknown): Stamp | undefined {
  const match = /^(.+)\/([1-9]\d{0,5})$/s.exec(readMarks(object).annotations?.[RUN_ANNOTATION] ?? '');
  const [, runId, n] = match ?? [];
  return runId === undefined ? undefined : { runId, n: Number(n) };
}

/** The number in the mark of a step that is rolled back: above those of all `count` steps, and growing during the rollback. */
export function undoNumber(n: number, count: number): number {
  return 2 * count + 1 - n;
}

type StampOptions = {
  readonly runId: string;
  /** Text of the rollback annotation; it goes out with the first write of the run on this object. */
  readonly rollback?: string | null;
};

/** One part of a write as it goes over the wire. */
export type StampedWrite = { readonly subresource: 'none' | 'scale'; readonly patch: readonly PatchOperation[] };

/**
 * A step's patch with tests of the uid and of the mark that is there, and with the mark of this step. `object` is the
 * parent as it was just read. Where only `/scale` can be written, the mark goes onto the parent first, in a write of its own.
 */
export function stampPatch(step: WriteStep, object: unknown, options: StampOptions): readonly StampedWrite[] {
  const { annotations } = readMarks(object);
  const tests: PatchOperation[] = [
    { op: 'test', path: '/metadata/uid', value: step.object.uid },
    ...testOfMark(annotations),
  ];
  const marks = marksFor(step, object, options);
  if (step.subresource === 'scale') {
    return [
      { subresource: 'none', patch: [...tests, ...setMarks(marks, annotations !== undefined)] },
      { subresource: 'scale', patch: [...step.patch] },
    ];
  }
  const hasMap = annotations !== undefined || step.patch.some(makesMap);
  return [{ subresource: 'none', patch: [...tests, ...step.patch, ...setMarks(marks, hasMap)] }];
}

// The mark that was read, or that there is none (which a test for null tells): whoever comes late finds another.
function testOfMark(annotations: Readonly<Record<string, string>> | undefined): PatchOperation[] {
  if (annotations === undefined) return [{ op: 'test', path: '/metadata/annotations', value: null }];
  const path = toPointer(['metadata', 'annotations', RUN_ANNOTATION]);
  return [{ op: 'test', path, value: annotations[RUN_ANNOTATION] ?? null }];
}

function marksFor(
  step: WriteStep,
  object: unknown,
  { runId, rollback }: StampOptions,
): Readonly<Record<string, string>> {
  const isFirst = readStamp(object)?.runId !== runId;
  const run = { [RUN_ANNOTATION]: `${runId}/${step.n}` };
  const wanted = isFirst && rollback !== undefined && rollback !== null;
  return wanted ? { ...run, [ROLLBACK_ANNOTATION]: rollback } : run;
}

function makesMap(operation: PatchOperation): boolean {
  return operation.path === '/metadata/annotations' && operation.op !== 'test' && operation.op !== 'remove';
}

function setMarks(marks: Readonly<Record<string, string>>, hasMap: boolean): PatchOperation[] {
  if (!hasMap) return [{ op: 'add', path: '/metadata/annotations', value: { ...marks } }];
  return Object.entries(marks).map(([name, value]) => ({
    op: 'add',
    path: toPointer(['metadata', 'annotations', name]),
    value,
  }));
}

/** Takes our annotations off an object that still bears the mark that was read. */
export function unmarkPatch(object: unknown, uid: string): readonly PatchOperation[] {
  const { annotations = {} } = readMarks(object);
  const mark = toPointer(['metadata', 'annotations', RUN_ANNOTATION]);
  const ours = [RUN_ANNOTATION, ROLLBACK_ANNOTATION].filter((name) => annotations[name] !== undefined);
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: mark, value: annotations[RUN_ANNOTATION] ?? null },
    ...ours.map((name) => ({ op: 'remove' as const, path: toPointer(['metadata', 'annotations', name]) })),
  ];
}

type Judged =
  /** Nothing of this step is there yet, and all its tests hold. */
  | 'apply'
  /** This step or a later one of the same run was written. */
  | 'already'
  /** Someone else changed it: hands off, both values are shown. `conflict` is the path. */
  | { readonly conflict: string; readonly expected: unknown; readonly found: unknown };

/**
 * Whether a step is still to be written, by what the object holds now. `object` is the parent; for a `/scale` write the
 * Scale is given as well, since its mark goes out before the count does. Never throws.
 */
export function judgeWrite(object: unknown, step: WriteStep, runId: string, scale?: unknown): Judged {
  const { uid, deletionTimestamp } = readMarks(object);
  if (uid !== step.object.uid) return { conflict: '/metadata/uid', expected: step.object.uid, found: uid };
  if (deletionTimestamp !== undefined) {
    return { conflict: '/metadata/deletionTimestamp', expected: undefined, found: deletionTimestamp };
  }
  const stamp = readStamp(object);
  const own = stamp?.runId === runId ? stamp.n : 0;
  const onlyMarked = step.subresource === 'scale' && own === step.n;
  if (own >= step.n && !onlyMarked) return 'already';
  const place = step.subresource === 'scale' ? scale : object;
  const stale = firstStale(place, step.patch);
  if (stale === undefined) return 'apply';
  return onlyMarked && firstStale(place, step.inverse) === undefined ? 'already' : stale;
}

// All of it or nothing, as the API server takes it; the operation that fails tells where.
function firstStale(object: unknown, patch: readonly PatchOperation[]): Exclude<Judged, string> | undefined {
  const outcome = applyPatch(object, patch);
  if (outcome.kind === 'applied') return undefined;
  const failed = patch[outcome.at];
  const path = failed?.path ?? '';
  return {
    conflict: path,
    expected: failed?.op === 'test' ? failed.value : undefined,
    found: valueAt(object, path),
  };
}
