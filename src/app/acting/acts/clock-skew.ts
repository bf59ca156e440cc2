import { RUN_ANNOTATION, readStamp } from '../../../actions/run/stamp.ts';
import { toPointer } from '../../../model/json-patch.ts';
import { recordOf, type Work } from './act-work.ts';
import { managedAt } from './field-manager.ts';

const MARK = toPointer(['metadata', 'annotations', RUN_ANNOTATION]);
// A write takes up to ten seconds to be noted, and the API server's books know whole seconds.
const NOISE_MS = 15_000;

/**
 * How far the clock that this run was noted by is ahead of the cluster's, in ms, negative where it is behind; 0 where they
 * agree or nothing tells. By our own mark: when the API server wrote it, against when we did. Deaths and logs bear the
 * cluster's time, so that a bot that lives ten minutes ahead would take all of them for old.
 */
export async function readSkew(work: Work): Promise<number> {
  const { cluster, context, plan, run } = work;
  const read = await cluster.read(plan.target.object, context);
  const object = read.kind === 'found' ? read.object : undefined;
  const stamp = readStamp(object);
  const noted = stamp?.runId === run.id ? recordOf(work, stamp.n).endedAt : null;
  const written = managedAt(object, MARK);
  if (noted === null || written === undefined) return 0;
  return beyondNoise(noted - written);
}

/** The same of an object as it was just written, in words for people; undefined where the clocks agree. */
export function skewWords(object: unknown, now: number): string | undefined {
  const written = managedAt(object, MARK);
  const skew = written === undefined ? 0 : beyondNoise(now - written);
  if (Math.abs(skew) < 60_000) return undefined;
  const minutes = Math.round(Math.abs(skew) / 60_000);
  return `the bot's clock is ${minutes} min ${skew > 0 ? 'ahead of' : 'behind'} the cluster's`;
}

function beyondNoise(ms: number): number {
  return Math.abs(ms) <= NOISE_MS ? 0 : ms;
}
