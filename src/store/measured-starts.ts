import { MeasuredStart } from '../model/measured-start.ts';
import type { Transaction } from './database/journal.ts';
import { parseRow } from './database/rows.ts';

/** Keeps what a start was measured at; of one pod the last counts. */
export async function keepStart(trx: Transaction, start: MeasuredStart): Promise<void> {
  await trx.deleteFrom('measuredStart').where('id', '=', start.id).execute();
  await trx.insertInto('measuredStart').values(start).execute();
}

// Older ones are of other drivers and versions.
const MOST = 200;

/** The measured starts of an engine in a cluster, the last first. */
export async function measuredStarts(
  db: Transaction,
  { cluster, engine }: Pick<MeasuredStart, 'cluster' | 'engine'>,
): Promise<readonly MeasuredStart[]> {
  const rows = await db
    .selectFrom('measuredStart')
    .selectAll()
    .where('cluster', '=', cluster)
    .where('engine', '=', engine)
    .orderBy('at', 'desc')
    .limit(MOST)
    .execute();
  return rows.map((row) => parseRow(MeasuredStart, row, 'measured start'));
}
