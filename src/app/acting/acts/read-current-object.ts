import { readStamp, undoNumber } from '../../../actions/run/stamp.ts';
import type { WriteStep } from '../../../model/plan.ts';
import type { ObjectRead, WriteOutcome } from '../../acting-ports.ts';
import { recordOf, type Work } from './act-work.ts';

/**
 * Reads an object that the run may have written. An answer that is older than our own last write, by the mark that it
 * bears, comes from a cache on the way, and would accuse somebody of putting our values back: then it is asked by a write
 * that changes nothing and is not kept, which no cache answers.
 */
export async function readCurrentObject(work: Work, ref: WriteStep['object']): Promise<ObjectRead> {
  const { cluster, context } = work;
  const read = await cluster.read(ref, context);
  if (read.kind !== 'found' || !isOlder(work, read.object, ref.uid)) return read;
  const body = { kind: 'patch' as const, patch: [] };
  return readOf(await cluster.write({ object: ref, subresource: 'none', body, dryRun: true }, context));
}

// Where it is so in the newest state as well, somebody has taken our mark away.
function isOlder(work: Work, object: unknown, uid: string): boolean {
  const stamp = readStamp(object);
  return (stamp?.runId === work.run.id ? stamp.n : 0) < newestMark(work, uid);
}

/** The number of the mark that our last write left on an object, by our own records; 0 where there is none. */
function newestMark(work: Work, uid: string): number {
  const { steps } = work.plan;
  const marks = steps.flatMap((step) => {
    if (step.kind !== 'write' || step.object.uid !== uid) return [];
    const { phase } = recordOf(work, step.n);
    if (phase === 'undone') return [undoNumber(step.n, steps.length)];
    return phase === 'done' ? [step.n] : [];
  });
  return Math.max(0, ...marks);
}

function readOf(outcome: WriteOutcome): ObjectRead {
  switch (outcome.kind) {
    case 'written':
      return { kind: 'found', object: outcome.object };
    case 'forbidden':
      return outcome;
    case 'unavailable':
      return { kind: 'unavailable', why: outcome.why };
    default:
      return { kind: 'unavailable', why: `only an old state could be read: ${outcome.message}` };
  }
}
