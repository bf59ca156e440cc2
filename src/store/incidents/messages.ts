import type { MessageKind } from '../../app/ports.ts';
import type { MessageRef } from '../../model/incident.ts';
import { addAudit, type Transaction } from '../database/journal.ts';
import { noIncident } from './incidents.ts';

type Place = { readonly incidentId: string; readonly kind: MessageKind; readonly ref: MessageRef; readonly at: number };

/** Notes where a message of an incident stands; the same place twice is one. `at` epoch ms. */
export async function saveMessage(trx: Transaction, { incidentId, kind, ref, at }: Place): Promise<void> {
  const incident = await trx.selectFrom('incident').select('id').where('id', '=', incidentId).executeTakeFirst();
  if (incident === undefined) throw noIncident(incidentId);
  const { n } = await trx
    .selectFrom('message')
    .select(({ fn }) => fn.countAll().as('n'))
    .where('incidentId', '=', incidentId)
    .executeTakeFirstOrThrow();
  const added = await trx
    .insertInto('message')
    .values({ incidentId, kind, ...ref, n: Number(n) + 1 })
    .onConflict((conflict) => conflict.doNothing())
    .returning('n')
    .executeTakeFirst();
  if (added === undefined) return;
  await addAudit(trx, { at, actor: 'oombot', action: 'message-saved', subject: incidentId, data: { kind, ...ref } });
}

/** Places of messages, in the order in which they were noted. */
export async function messagesOf(
  db: Transaction,
  incidentId: string,
  kind: MessageKind,
): Promise<readonly MessageRef[]> {
  return db
    .selectFrom('message')
    .select(['conversation', 'ts'])
    .where('incidentId', '=', incidentId)
    .where('kind', '=', kind)
    .orderBy('n')
    .execute();
}
