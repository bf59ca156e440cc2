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

/** Whether this process still has it to answer. */
export async function holdsRequest(db: Transaction, id: string, holder: string): Promise<boolean> {
  const row = await db.selectFrom('request').select('holder').where('id', '=', id).executeTakeFirst();
  return row?.holder === holder;
}

/** One that was taken over stays with the process that has it now. */
export async function releaseRequest(trx: Transaction, id: string, holder: string): Promise<void> {
  await trx.deleteFrom('request').where('id', '=', id).where('holder', '=', holder).execute();
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
