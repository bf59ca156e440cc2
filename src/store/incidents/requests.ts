import { KeptRequest } from '../../model/kept-request.ts';
import type { Transaction } from '../database/journal.ts';
import { parseJson } from '../database/rows.ts';

/** Written before the request is acknowledged. */
export async function keepRequest(trx: Transaction, request: KeptRequest, holder: string): Promise<void> {
  const { id, at, isRetried } = request;
  await trx
    .insertInto('request')
    .values({ id, at, isRetried: Number(isRetried), body: JSON.stringify(request), holder })
    .execute();
}

/** Whether no other process has it to answer. One that was released is with nobody. */
export async function holdsRequest(db: Transaction, id: string, holder: string): Promise<boolean> {
  const row = await db.selectFrom('request').select('holder').where('id', '=', id).executeTakeFirst();
  return row === undefined || row.holder === holder;
}

/** Whether this process still has it. One that is gone was taken over and answered. */
export async function keepsRequest(db: Transaction, id: string, holder: string): Promise<boolean> {
  const rows = db.selectFrom('request').select('id').where('id', '=', id).where('holder', '=', holder);
  return (await rows.executeTakeFirst()) !== undefined;
}

/** One that was taken over stays with the process that has it now, and the answer is false. */
export async function releaseRequest(trx: Transaction, id: string, holder: string): Promise<boolean> {
  const released = trx.deleteFrom('request').where('id', '=', id).where('holder', '=', holder);
  return (await released.executeTakeFirst()).numDeletedRows > 0n;
}

export async function retryRequest(trx: Transaction, id: string): Promise<void> {
  await trx.updateTable('request').set({ isRetried: 1 }).where('id', '=', id).execute();
}

/** Requests that were not answered, the oldest first. */
export async function keptRequests(db: Transaction): Promise<readonly KeptRequest[]> {
  const rows = await db.selectFrom('request').selectAll().orderBy('at').orderBy('id').execute();
  return rows.map(({ body, isRetried }) => ({
    ...parseJson(KeptRequest, body, 'request'),
    isRetried: isRetried === 1,
  }));
}
