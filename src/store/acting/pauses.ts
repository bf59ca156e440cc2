import type { Paused } from '../../app/acting-ports.ts';
import { addAudit, type Transaction } from '../database/journal.ts';

const SUBJECT = 'acting';

/** Stops all acting; a second pause takes the place of the first. */
export async function pause(trx: Transaction, { by, at, reason }: Paused): Promise<void> {
  const row = { pausedBy: by, at, reason };
  await trx
    .insertInto('pause')
    .values({ id: 1, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute();
  await addAudit(trx, { at, actor: by, action: 'paused', subject: SUBJECT, data: { reason } });
}

/** Lets acting go on. Where it was not paused nothing is changed. */
export async function resume(trx: Transaction, by: string, at: number): Promise<void> {
  const gone = await trx.deleteFrom('pause').where('id', '=', 1).returning('id').executeTakeFirst();
  if (gone !== undefined) await addAudit(trx, { at, actor: by, action: 'resumed', subject: SUBJECT, data: {} });
}

export async function pausedBy(db: Transaction): Promise<Paused | undefined> {
  const row = await db.selectFrom('pause').selectAll().where('id', '=', 1).executeTakeFirst();
  return row === undefined ? undefined : { by: row.pausedBy, at: row.at, reason: row.reason };
}

export async function isPaused(db: Transaction): Promise<boolean> {
  return (await pausedBy(db)) !== undefined;
}
