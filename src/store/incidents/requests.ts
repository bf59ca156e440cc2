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

/** Whether this process still has it. One that is gone was taken over and answered. */
export async function keepsRequest(db: Transaction, id: string, holder: string): Promise<boolean> {
  const rows = db.selectFrom('request').select('id').where('id', '=', id).where('holder', '=', holder);
  return (await rows.executeTakeFirst()) !== undefined;
}

const REMEMBERED = 1000;

/** Requests that this process itself has released: of such a row that is gone no other has answered it. */
export function createReleases() {
  const released = new Set<string>();
  return {
    has: (id: string): boolean => released.has(id),
    /** Notes it where the transaction that releases it did so; answers what that answered. */
    note<T>(id: string | undefined, outcome: T): T {
      if (id === undefined || outcome === undefined || outcome === false) return outcome;
      released.add(id);
      const [oldest = ''] = released;
      if (released.size > REMEMBERED) released.delete(oldest);
      return outcome;
    },
  };
}

export type Releases = ReturnType<typeof createReleases>;

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
