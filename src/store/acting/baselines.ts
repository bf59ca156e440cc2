import { Baseline } from '../../model/request-times.ts';
import { addAudit, type Transaction } from '../database/journal.ts';
import { parseJson } from '../database/rows.ts';
import { needRun } from './runs.ts';

/** Keeps what a run is measured against; one that stands is left as it is. */
export async function saveBaseline(trx: Transaction, runId: string, baseline: Baseline, at: number): Promise<void> {
  await needRun(trx, runId);
  if ((await baselineOf(trx, runId)) !== undefined) return;
  await trx
    .insertInto('baseline')
    .values({ run_id: runId, at, body: JSON.stringify(baseline) })
    .execute();
  await addAudit(trx, { at, actor: 'oombot', action: 'baseline', subject: runId, data: baseline });
}

/** What a run is measured against, once it was read. */
export async function baselineOf(db: Transaction, runId: string): Promise<Baseline | undefined> {
  const row = await db.selectFrom('baseline').select('body').where('run_id', '=', runId).executeTakeFirst();
  return row && parseJson(Baseline, row.body, 'baseline');
}
