import type { Baseline } from '../../../model/request-times.ts';
import type { Work } from '../acts/act-work.ts';
import { NO_TIMES, orLate } from '../acts/late-answers.ts';

/**
 * Reads what the run will be measured against and keeps it, once. The pods that tell of the hour before may be gone
 * after the first write, and the bot may be another one by then. Metrics that hang hold no run up.
 */
export async function keepBaseline({ deps, run, plan, cluster, context }: Work): Promise<void> {
  if ((await deps.store.baseline(run.id)) !== undefined) return;
  const [read, incident] = await Promise.all([cluster.pods(plan.target, context), deps.store.incident(run.incidentId)]);
  if (incident === undefined) return;
  const pods = read.kind === 'read' ? read.pods : [];
  const { signal } = context;
  const at = { from: incident.openedAt, to: incident.openedAt };
  const late: Baseline = { ...at, times: NO_TIMES };
  const baseline = await orLate(signal, deps.eyes.lookBack({ target: plan.target, pods, incident, signal }), late);
  await deps.store.saveBaseline(run.id, baseline, deps.clock.now());
}
