import { findStale } from '../../../actions/run/rollback.ts';
import type { WriteStep } from '../../../model/plan.ts';
import { deletedWords, nameOf, remadeWords, valuesOf } from '../describe.ts';
import { recordOf, type Work } from './act-work.ts';

/** `later`: the cluster does not answer. */
type Obstacle = { readonly kind: 'later' | 'not-started'; readonly says: string };

/**
 * Before the first write: checks all values that the plan tests, those of later steps too. Otherwise a value that
 * someone changed meanwhile would stop the run half way, with the workload at zero. Undefined if all match.
 */
export async function lookAhead(work: Work): Promise<Obstacle | undefined> {
  const { plan, cluster, context } = work;
  const hasBegun = plan.steps.some(
    ({ kind, n }) => (kind === 'write' || kind === 'create') && recordOf(work, n).attempts > 0,
  );
  if (hasBegun) return undefined;
  const steps = plan.steps.filter((step): step is WriteStep => step.kind === 'write');
  const objects = new Map<string, unknown>();
  for (const { object: ref } of steps) {
    if (objects.has(ref.uid)) continue;
    const read = await cluster.read(ref, context);
    if (read.kind === 'unavailable') return { kind: 'later', says: `the API server did not answer: ${read.why}` };
    if (read.kind === 'forbidden') return notStarted(`no permission to read it: ${read.rule}`);
    if (read.kind === 'gone') return notStarted(`${nameOf(ref)} is gone`);
    const remade = remadeWords(read.object, ref) ?? deletedWords(read.object, ref);
    if (remade !== undefined) return notStarted(remade);
    objects.set(ref.uid, read.object);
  }
  const stale = findStale(steps, objects);
  if (stale === undefined) return undefined;
  const values = valuesOf(stale.path, stale.expected, stale.found);
  return notStarted(`${nameOf(stale.step.object)} was changed since the plan was made: ${values}`);
}

function notStarted(says: string): Obstacle {
  return { kind: 'not-started', says };
}
