import { changesBack, findObstacle, isBehind } from '../../../actions/run/rollback.ts';
import { RUN_ANNOTATION, readStamp, undoNumber } from '../../../actions/run/stamp.ts';
import { invert } from '../../../actions/run/undo-steps.ts';
import { backoffMs } from '../../../model/backoff.ts';
import type { CreateStep, PlanStep, StepRecord, WriteStep } from '../../../model/plan.ts';
import type { WriteOutcome } from '../../acting-ports.ts';
import type { ActAnswer } from '../act-answers.ts';
import { mayGo, nameOf, remadeWords, valuesOf } from '../describe.ts';
import { failStep, heldByPause, noteStep, ok, recordOf, stepOf, stopWanted, type Work } from './act-work.ts';
import { lookAhead } from './look-ahead.ts';
import { readCurrentObject } from './read-current-object.ts';
import { lookAt, sendWrite, type WriteEnd } from './send-write.ts';

// An API server that is gone longer than this: a person has to look.
const GIVE_UP_MS = 20 * 60_000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
// The API server itself ends a request after a minute.
const IN_FLIGHT_POLLS = 6;

/** One write of the plan, or the creation of an object. */
export async function applyStep(work: Work): Promise<ActAnswer> {
  const step = stepOf(work);
  const record = recordOf(work, step.n);
  if (record.phase === 'done') return ok(record.message);
  const stop = stopWanted(work);
  if (stop !== undefined) return stop;
  const held = await heldByPause(work);
  if (held !== undefined) return held;
  const ahead = await lookAhead(work);
  if (ahead?.kind === 'not-started') return { kind: 'stop', why: 'not-started', says: ahead.says };
  if (ahead !== undefined) {
    const since = record.startedAt ?? work.deps.clock.now();
    return settle(work, { ...record, startedAt: since }, { kind: 'later', says: ahead.says, inMs: null });
  }
  const begun = await noteStep(work, record, { phase: 'running', message: step.says, attempt: true });
  return settle(work, begun, await send(work, step));
}

function send(work: Work, step: PlanStep): Promise<WriteEnd> {
  if (step.kind === 'create') return create(work, step);
  if (step.kind === 'write') return sendWrite(work, step);
  return Promise.resolve({ kind: 'failed', says: `step ${step.n} changes nothing` });
}

async function settle(work: Work, record: StepRecord, end: WriteEnd): Promise<ActAnswer> {
  if (end.kind === 'done') {
    await noteStep(work, record, { phase: 'done', message: end.says });
    return ok(end.says);
  }
  if (end.kind !== 'later') return failStep(work, record, { why: end.kind, says: end.says });
  if (work.deps.clock.now() - (record.startedAt ?? 0) > GIVE_UP_MS) {
    const says = `${end.says}; gave up after 20 min, the change may have been applied`;
    return failStep(work, record, { why: 'failed', says });
  }
  await noteStep(work, record, { phase: 'running', message: end.says });
  return { kind: 'wait', inMs: pauseOf(work, end.inMs), says: end.says };
}

function pauseOf({ input }: Work, asked: number | null): number {
  return Math.min(LONGEST_PAUSE_MS, Math.max(asked ?? 0, backoffMs(input.i, FIRST_PAUSE_MS, LONGEST_PAUSE_MS)));
}

async function create(work: Work, step: CreateStep): Promise<WriteEnd> {
  const { cluster, context, run, deps } = work;
  const there = await cluster.read(step.object, context);
  if (there.kind === 'unavailable') return { kind: 'later', says: there.why, inMs: null };
  if (there.kind === 'forbidden') return { kind: 'failed', says: `no permission to read it: ${there.rule}` };
  if (there.kind === 'found') return judgeCreated(there.object, step, run.id);
  const held = await heldByPause(work);
  if (held?.kind === 'wait') return { kind: 'later', says: held.says, inMs: held.inMs };
  const { n, says, object } = step;
  await deps.store.recordWrite(run.id, { n, object: `${cluster.name}/${nameOf(object)}`, says, at: deps.clock.now() });
  const manifest = markManifest(step.manifest, `${run.id}/${n}`);
  const body = { kind: 'create' as const, manifest };
  return endOfCreate(step, await cluster.write({ object, subresource: 'none', body, dryRun: false }, context));
}

function judgeCreated(object: unknown, step: CreateStep, runId: string): WriteEnd {
  if (readStamp(object)?.runId === runId) return { kind: 'done', says: 'already created' };
  return { kind: 'conflict', says: `${nameOf(step.object)} already exists and this run did not create it` };
}

function endOfCreate(step: CreateStep, outcome: WriteOutcome): WriteEnd {
  if (outcome.kind === 'written') return { kind: 'done', says: 'created' };
  if (outcome.kind === 'forbidden') return { kind: 'failed', says: `not allowed, missing RBAC rule: ${outcome.rule}` };
  if (outcome.kind === 'refused') return { kind: 'failed', says: `${nameOf(step.object)}: ${outcome.message}` };
  // All else is looked at again before anything is sent.
  const inMs = outcome.kind === 'unavailable' ? outcome.retryAfterMs : null;
  return { kind: 'later', says: outcome.kind === 'unavailable' ? outcome.why : outcome.message, inMs };
}

function markManifest(manifest: unknown, mark: string): unknown {
  const whole = asObject(manifest);
  const metadata = asObject(whole.metadata);
  const annotations = { ...asObject(metadata.annotations), [RUN_ANNOTATION]: mark };
  return { ...whole, metadata: { ...metadata, annotations } };
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/**
 * Rolls back one write with its inverse, which tests our values: a person's later change is never overwritten. Nothing is
 * touched if the rollback would end at such a change.
 */
export async function undoStep(work: Work): Promise<ActAnswer> {
  const step = stepOf(work);
  const record = recordOf(work, step.n);
  if (step.kind !== 'write' || !isToUndo(step, record)) return ok('nothing to roll back');
  if (work.run.command === 'abandon') {
    return { kind: 'stop', why: 'abandon', says: `requested by ${work.run.commandBy ?? 'someone'}` };
  }
  const held = await heldByPause(work);
  if (held !== undefined) return held;
  if (await isUnwritten(work, step)) return passOver(work, record);
  if (await isGone(work, step)) {
    await noteStep(work, record, { phase: 'undone', message: 'the pod is gone' });
    return ok('the pod is gone');
  }
  const obstacle = await lookForObstacle(work);
  if (obstacle !== undefined) return { kind: 'stop', why: 'conflict', says: obstacle };
  const end = await sendWrite(work, invert(step, undoNumber(step.n, work.plan.steps.length)));
  if (end.kind === 'done') {
    await noteStep(work, record, { phase: 'undone', message: 'rolled back' });
    return ok('rolled back');
  }
  if (end.kind !== 'later' || work.input.i >= UNDO_TRIES) return failStep(work, record, stuck(end));
  return { kind: 'wait', inMs: pauseOf(work, end.inMs), says: end.says };
}

async function isGone(work: Work, { object }: WriteStep): Promise<boolean> {
  if (!mayGo(object)) return false;
  const read = await readCurrentObject(work, object);
  return read.kind === 'gone' || (read.kind === 'found' && remadeWords(read.object, object) !== undefined);
}

async function passOver(work: Work, record: StepRecord): Promise<ActAnswer> {
  if (record.phase === 'running' && work.input.i < IN_FLIGHT_POLLS) {
    return { kind: 'wait', inMs: 10_000, says: 'a request of this step may still be in flight' };
  }
  const wasDone = record.phase === 'done';
  const message = wasDone ? 'the old values are already restored' : 'was never applied';
  await noteStep(work, record, { phase: wasDone ? 'undone' : 'not-run', message });
  return ok(message);
}

function isToUndo(step: WriteStep, { phase, attempts }: StepRecord): boolean {
  return attempts > 0 && phase !== 'undone' && changesBack(step);
}

async function lookForObstacle(work: Work): Promise<string | undefined> {
  const { run, plan } = work;
  const steps = plan.steps.filter((step): step is WriteStep => step.kind === 'write' && changesBack(step));
  const objects = new Map<string, unknown>();
  for (const { object } of steps) {
    if (objects.has(object.uid)) continue;
    const read = await readCurrentObject(work, object);
    // An object that is gone or not readable is reported in its own step.
    if (read.kind === 'found') objects.set(object.uid, read.object);
  }
  const found = findObstacle(steps, objects, { ...run, count: plan.steps.length });
  if (found === undefined) return undefined;
  const { step, path, expected } = found;
  return `${nameOf(step.object)} was changed by someone else since step ${step.n}: ${valuesOf(path, expected, found.found)}`;
}

// With pauses up to 30 s: about as long as a write is tried.
const UNDO_TRIES = 40;

function stuck(end: WriteEnd): { readonly why: 'conflict' | 'failed'; readonly says: string } {
  return { why: end.kind === 'conflict' ? 'conflict' : 'failed', says: `not rolled back: ${end.says}` };
}

// The object has the old values, or our mark on it is from an earlier step.
async function isUnwritten(work: Work, step: WriteStep): Promise<boolean> {
  const seen = await lookAt(work, step);
  if (seen.kind === 'apply') return true;
  if (seen.kind !== 'conflict' || recordOf(work, step.n).phase === 'done') return false;
  const read = await readCurrentObject(work, step.object);
  return read.kind === 'found' && isBehind(read.object, step, work.run.id);
}
