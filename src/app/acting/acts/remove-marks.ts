import { RUN_ANNOTATION, readStamp, unmarkPatch } from '../../../actions/run/stamp.ts';
import type { WriteStep } from '../../../model/plan.ts';
import { nameOf } from '../describe.ts';
import type { Work } from './act-work.ts';

/**
 * Removes the annotations of a rolled-back run from the objects it changed: they describe a change that is gone. If that
 * fails they stay, and do no harm.
 */
export async function removeMarks(work: Work): Promise<void> {
  const { deps, plan, run, cluster, context } = work;
  // The note of a run before says from how many replicas it went to zero.
  if (plan.serving.total === 0) return;
  const writes = plan.steps.filter((step): step is WriteStep => step.kind === 'write');
  for (const { object: ref, n } of new Map(writes.map((step) => [step.object.uid, step])).values()) {
    const read = await cluster.read(ref, context);
    if (read.kind !== 'found' || readStamp(read.object)?.runId !== run.id) continue;
    const patch = unmarkPatch(read.object, ref.uid);
    const says = `remove ${RUN_ANNOTATION}`;
    await deps.store.recordWrite(run.id, { n, object: `${cluster.name}/${nameOf(ref)}`, says, at: deps.clock.now() });
    const body = { kind: 'patch' as const, patch };
    const sent = await cluster.write({ object: ref, subresource: 'none', body, dryRun: false }, context);
    if (sent.kind !== 'written') deps.log.warn('run annotations not removed', { run: run.id, kind: sent.kind });
  }
}
