import { Silence } from '../../model/silence.ts';
import { addAudit, type Transaction } from '../database/journal.ts';
import { parseRow } from '../database/rows.ts';

/** A new silence ends an earlier one of the same workload. */
export async function silence(trx: Transaction, one: Silence): Promise<void> {
  const { id, cluster, namespace, workload, at, by, until, reason } = one;
  await endOf(trx, one, at);
  await trx
    .insertInto('silence')
    .values({ ...one, reason })
    .execute();
  const data = { cluster, namespace, workload, until, reason };
  await addAudit(trx, { at, actor: by, action: 'silenced', subject: id, data });
}

/** Ends the silence of a workload. Answers whether there was one. */
export async function unsilence(
  trx: Transaction,
  place: Pick<Silence, 'cluster' | 'namespace' | 'workload'>,
  { by, at }: { readonly by: string; readonly at: number },
): Promise<boolean> {
  const ended = await endOf(trx, place, at);
  for (const id of ended) await addAudit(trx, { at, actor: by, action: 'silence-ended', subject: id, data: {} });
  return ended.length > 0;
}

async function endOf(
  trx: Transaction,
  { cluster, namespace, workload }: Pick<Silence, 'cluster' | 'namespace' | 'workload'>,
  at: number,
): Promise<readonly string[]> {
  const rows = await trx
    .updateTable('silence')
    .set({ until: at })
    .where('cluster', '=', cluster)
    .where('namespace', '=', namespace)
    .where('workload', '=', workload)
    .where('until', '>', at)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Those in force at `at`, epoch ms, the first to end first. */
export async function silencesAt(db: Transaction, at: number): Promise<readonly Silence[]> {
  const rows = await db.selectFrom('silence').selectAll().where('until', '>', at).orderBy('until').execute();
  return rows.map((row) => parseRow(Silence, row, 'silence'));
}
