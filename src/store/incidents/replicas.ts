import type { TakenOver } from '../../app/outbox-ports.ts';
import { addAudit, type Transaction } from '../database/journal.ts';

export async function beat(trx: Transaction, id: string, at: number): Promise<number> {
  await trx
    .insertInto('replica')
    .values({ id, seenAt: at })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seenAt: at }))
    .execute();
  return at;
}

export async function leave(trx: Transaction, id: string): Promise<void> {
  await trx.deleteFrom('replica').where('id', '=', id).execute();
}

type Takeover = {
  readonly holder: string;
  readonly goneBefore: number;
  readonly unheldBefore?: number | undefined;
  readonly at: number;
};

const NOTHING: TakenOver = { messages: new Set(), triages: new Set(), requests: new Set() };

export async function takeOver(
  trx: Transaction,
  { holder, goneBefore, unheldBefore, at }: Takeover,
): Promise<TakenOver> {
  // The clock was set back since this process was seen itself: all others look as if they were seen in the future.
  const own = await trx.selectFrom('replica').select('seenAt').where('id', '=', holder).executeTakeFirst();
  if (own !== undefined && Number(own.seenAt) > at) return NOTHING;
  // Nobody was seen in the future: the clock was set back since, and who is alive has shown so by the new time.
  await trx
    .deleteFrom('replica')
    .where('id', '<>', holder)
    .where(({ or, eb }) => or([eb('seenAt', '<', goneBefore), eb('seenAt', '>', at)]))
    .execute();
  const alive = trx.selectFrom('replica').select('id');
  const begunBefore = unheldBefore ?? 0;
  const messages = await trx
    .updateTable('outbox')
    .set({ holder })
    .where('body', 'is not', null)
    .where('supersededBy', 'is', null)
    .where('holder', '<>', holder)
    .where('holder', 'not in', alive)
    // A message does not say when it was stored; to send one is a matter of seconds.
    .$if(unheldBefore === undefined, (query) => query.where('holder', '<>', ''))
    .returning('id')
    .execute();
  const triages = await trx
    .updateTable('triage')
    .set({ holder })
    .where('state', '=', 'running')
    .where('holder', '<>', holder)
    .where('holder', 'not in', alive)
    .where(({ or, eb }) => or([eb('holder', '<>', ''), eb('startedAt', '<', begunBefore)]))
    .returning('id')
    .execute();
  const requests = await trx
    .updateTable('request')
    .set({ holder })
    .where('holder', '<>', holder)
    .where('holder', 'not in', alive)
    .where(({ or, eb }) => or([eb('holder', '<>', ''), eb('at', '<', begunBefore)]))
    .returning('id')
    .execute();
  const data = { messages: messages.length, triages: triages.length, requests: requests.length };
  if (messages.length + triages.length + requests.length > 0)
    await addAudit(trx, { at, actor: 'oombot', action: 'taken-over', subject: holder, data });
  return { messages: idsOf(messages), triages: idsOf(triages), requests: idsOf(requests) };
}

function idsOf(rows: readonly { readonly id: string }[]): ReadonlySet<string> {
  return new Set(rows.map(({ id }) => id));
}
