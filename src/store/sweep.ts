import type { Store } from '../app/ports.ts';
import { OPEN_CHANGES } from '../model/temporary-change.ts';
import { ACTIVE } from './acting/run-rules.ts';
import { addAudit, type Transaction } from './database/journal.ts';

type Marks = Parameters<Store['sweep']>[0];

/** Deletes snapshots taken, and incidents seen for the last time, before the marks (epoch ms). The audit stays. */
export async function sweep(
  trx: Transaction,
  marks: Marks,
  at: number,
): Promise<{ snapshots: number; incidents: number }> {
  // What is being changed is not forgotten meanwhile.
  const underWay = trx.selectFrom('run').select('incidentId').where('state', 'in', ACTIVE);
  const unclosed = trx.selectFrom('ledger').select('incidentId').where('state', 'in', OPEN_CHANGES);
  const oldIncidents = trx
    .selectFrom('incident')
    .select('id')
    .where('lastSeenAt', '<', marks.incidentsBefore)
    .where('id', 'not in', underWay)
    .where('id', 'not in', unclosed);
  const snapshots = await trx
    .deleteFrom('snapshot')
    .where(({ eb, or }) => or([eb('at', '<', marks.snapshotsBefore), eb('incidentId', 'in', oldIncidents)]))
    .executeTakeFirstOrThrow();
  await trx.deleteFrom('outbox').where('incidentId', 'in', oldIncidents).execute();
  // Of messages without an incident the ts tells the time: seconds, and then a count.
  const oldest = String(Math.floor(marks.incidentsBefore / 1000)).padStart(10, '0');
  await trx.deleteFrom('outbox').where('incidentId', 'like', 'shift/%').where('ts', '<', oldest).execute();
  await trx.deleteFrom('alert').where('seenAt', '<', marks.incidentsBefore).execute();
  await trx.deleteFrom('silence').where('until', '<', marks.incidentsBefore).execute();
  await trx.deleteFrom('measuredStart').where('at', '<', marks.incidentsBefore).execute();
  const incidents = await trx.deleteFrom('incident').where('id', 'in', oldIncidents).executeTakeFirstOrThrow();
  await trx.deleteFrom('triage').where('state', '<>', 'running').where('endedAt', '<', marks.incidentsBefore).execute();
  const gone = { snapshots: Number(snapshots.numDeletedRows), incidents: Number(incidents.numDeletedRows) };
  if (gone.snapshots + gone.incidents > 0) {
    await addAudit(trx, { at, actor: 'oombot', action: 'swept', subject: 'store', data: { ...marks, ...gone } });
  }
  return gone;
}
