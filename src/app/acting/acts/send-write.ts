import { writeRollbackNote } from '../../../actions/run/rollback-note.ts';
import { type Altered, findAltered, valuesSet } from '../../../actions/run/same-value.ts';
import { judgeWrite, readMarks, readStamp, type StampedWrite, stampPatch } from '../../../actions/run/stamp.ts';
import type { WriteStep } from '../../../model/plan.ts';
import type { KubeObject, WriteOutcome } from '../../acting-ports.ts';
import { deletedWords, nameOf, remadeWords, valuesOf } from '../describe.ts';
import { heldByPause, type Work } from './act-work.ts';
import { skewWords } from './clock-skew.ts';
import { readCurrentObject } from './read-current-object.ts';

/** How an attempt at one write ended. `later`: nothing is known to be wrong, and it is safe to try again. */
export type WriteEnd =
  | { readonly kind: 'done'; readonly says: string }
  | { readonly kind: 'conflict' | 'failed'; readonly says: string }
  | { readonly kind: 'later'; readonly says: string; readonly inMs: number | null };

const TRIES = 3;

/**
 * Makes one write so that it is made once: looks first, writes it down, sends it, and after an answer that leaves it
 * open looks again before anything else.
 */
export async function sendWrite(work: Work, step: WriteStep): Promise<WriteEnd> {
  let unsure: Extract<WriteEnd, { kind: 'later' }> | undefined;
  for (let i = 0; i < TRIES; i += 1) {
    const seen = await lookAt(work, step);
    if (seen.kind !== 'apply') return seen;
    // It was not applied, but an unanswered request may still be in flight: do not resend at once.
    if (unsure !== undefined) return unsure;
    const sent = await sendParts(work, step, seen.object);
    if (sent.kind === 'later') return sent;
    if (sent.kind === 'unavailable') {
      unsure = { kind: 'later', says: `the API server did not answer: ${sent.why}`, inMs: sent.retryAfterMs };
      continue;
    }
    const end = endOf(step, sent, { before: seen.object, now: work.deps.clock.now() });
    if (end !== undefined) return end;
  }
  return unsure ?? { kind: 'later', says: `${nameOf(step.object)} keeps changing`, inMs: null };
}

/** `apply`: the step is still to be made on this object. */
type Seen = { readonly kind: 'apply'; readonly object: KubeObject } | WriteEnd;

/** Reads the object and judges whether the step is still to be made. */
export async function lookAt(work: Work, step: WriteStep): Promise<Seen> {
  const { run } = work;
  const read = await readCurrentObject(work, step.object);
  if (read.kind === 'unavailable') return away(read.why);
  if (read.kind === 'forbidden') return { kind: 'failed', says: `no permission to read it: ${read.rule}` };
  if (read.kind === 'gone') return { kind: 'conflict', says: `${nameOf(step.object)} is gone` };
  const remade = remadeWords(read.object, step.object) ?? deletedWords(read.object, step.object);
  if (remade !== undefined) return { kind: 'conflict', says: remade };
  const scale = step.subresource === 'scale' ? await readScale(work, step) : undefined;
  if (scale !== undefined && scale.kind !== 'written') {
    return scale.kind === 'unavailable' ? away(scale.why) : { kind: 'failed', says: 'no permission to read its scale' };
  }
  const judged = judgeWrite(read.object, step, run.id, scale?.object);
  if (judged === 'already') return { kind: 'done', says: 'already applied' };
  if (judged === 'apply') return { kind: 'apply', object: read.object };
  const values = valuesOf(judged.conflict, judged.expected, judged.found);
  return { kind: 'conflict', says: `${nameOf(step.object)} was changed by someone else: ${values}` };
}

function away(why: string): WriteEnd {
  return { kind: 'later', says: `the API server did not answer: ${why}`, inMs: null };
}

// A dry run of an empty patch returns the current values.
function readScale({ cluster, context }: Work, { object }: WriteStep): Promise<WriteOutcome> {
  return cluster.write({ object, subresource: 'scale', body: { kind: 'patch', patch: [] }, dryRun: true }, context);
}

type Sent = WriteOutcome | Extract<WriteEnd, { kind: 'later' }>;

async function sendParts(work: Work, step: WriteStep, object: KubeObject): Promise<Sent> {
  const { run, plan, deps } = work;
  const who = { incident: run.incidentId, by: run.startedBy, at: new Date(deps.clock.now()).toISOString() };
  const rollback = writeRollbackNote(plan, step.object.uid, { ...who, object });
  const parts = stampPatch(step, object, { runId: run.id, rollback });
  let outcome: Sent = { kind: 'written', object, warnings: [] };
  for (const part of parts) {
    // A /scale has no mark of ours: a process that was frozen since finds another run's mark, and does not write.
    if (part.subresource === 'scale' && !(await isMarked(work, step))) return lost();
    outcome = await sendPart(work, step, part);
    if (outcome.kind !== 'written') return outcome;
  }
  if (step.subresource === 'scale' && !(await isMarked(work, step))) return lost();
  return outcome;
}

function lost(): WriteOutcome {
  return { kind: 'conflict', message: 'another bot process took over the run' };
}

async function isMarked({ cluster, context, run }: Work, { object, n }: WriteStep): Promise<boolean> {
  const read = await cluster.read(object, context);
  const stamp = read.kind === 'found' ? readStamp(read.object) : undefined;
  return stamp?.runId === run.id && stamp.n === n;
}

// One patch over the wire, its audit row before it.
async function sendPart(work: Work, step: WriteStep, { subresource, patch }: StampedWrite): Promise<Sent> {
  // It was looked for when the act began, and reading the object may have taken seconds since.
  const held = await heldByPause(work);
  if (held?.kind === 'wait') return { kind: 'later', says: held.says, inMs: held.inMs };
  const { deps, cluster, context, run, inTime } = work;
  const { n, says, object } = step;
  await deps.store.recordWrite(run.id, { n, object: `${cluster.name}/${nameOf(object)}`, says, at: deps.clock.now() });
  // A process that stood still holds values from before; the engine tries again, or another process has.
  if (!inTime()) return { kind: 'unavailable', why: 'the step took too long', retryAfterMs: null };
  const sent = await cluster.write({ object, subresource, body: { kind: 'patch', patch }, dryRun: false }, context);
  if (sent.kind !== 'written' || isAbout(sent.object, { step, runId: run.id, subresource })) return sent;
  // Something between us and the API server, or a server that is broken: what it says of our write is worth nothing.
  return { kind: 'unavailable', why: 'the answer is about another object', retryAfterMs: null };
}

type Expected = { readonly step: WriteStep; readonly runId: string; readonly subresource: StampedWrite['subresource'] };

// The object with our mark; a scale bears none, and is known by its uid.
function isAbout(object: KubeObject, { step, runId, subresource }: Expected): boolean {
  if (subresource === 'scale') return (readMarks(object).uid ?? step.object.uid) === step.object.uid;
  const stamp = readStamp(object);
  return stamp?.runId === runId && stamp.n === step.n;
}

function alteredWords({ object }: WriteStep, { path, expected, found }: Altered): string {
  return `an admission webhook changed ${nameOf(object)}: ${valuesOf(path, expected, found)}`;
}

type Around = { readonly before: KubeObject; readonly now: number };

/** Undefined where the object has to be looked at again. */
function endOf(step: WriteStep, sent: WriteOutcome, { before, now }: Around): WriteEnd | undefined {
  if (sent.kind === 'written') {
    const altered = findAltered(valuesSet(step, before), sent.object);
    if (altered !== undefined) return { kind: 'conflict', says: alteredWords(step, altered) };
    const warned = sent.warnings.length === 0 ? '' : `; the API server warns: ${sent.warnings.join('; ')}`;
    const skew = skewWords(sent.object, now);
    return { kind: 'done', says: `applied${warned}${skew === undefined ? '' : `; ${skew}`}` };
  }
  if (sent.kind === 'forbidden') return { kind: 'failed', says: `not allowed, missing RBAC rule: ${sent.rule}` };
  if (sent.kind === 'refused') {
    return { kind: 'failed', says: `the API server rejected the change of ${nameOf(step.object)}: ${sent.message}` };
  }
  return undefined;
}
