import type { Kysely } from 'kysely';
import type { DomainEvent } from '../../model/events.ts';
import { type AuditEntry, chainOn } from './audit-chain.ts';
import { whole } from './rows.ts';
import type { Tables } from './tables.ts';

export type Transaction = Kysely<Tables>;

/** Writes an event after the others of its incident, whose row the caller has written or locked before. */
export async function addEvent(trx: Transaction, event: DomainEvent): Promise<void> {
  const { n } = await trx
    .selectFrom('event')
    .select(({ fn }) => fn.countAll().as('n'))
    .where('incident_id', '=', event.incidentId)
    .executeTakeFirstOrThrow();
  const row = { incident_id: event.incidentId, n: whole.parse(n) + 1, at: event.at, kind: event.kind };
  await trx
    .insertInto('event')
    .values({ ...row, body: JSON.stringify(event) })
    .execute();
}

/** Adds to the audit. The update of the head comes first: it makes writers of other processes wait. */
export async function addAudit(
  trx: Transaction,
  entry: Omit<AuditEntry, 'data'> & { readonly data: Readonly<Record<string, unknown>> },
): Promise<void> {
  const head = await trx
    .updateTable('audit_head')
    .set(({ eb }) => ({ seq: eb('seq', '+', 1) }))
    .where('id', '=', 1)
    .returning(['seq', 'hash'])
    .executeTakeFirstOrThrow();
  const before = { seq: whole.parse(head.seq) - 1, hash: head.hash };
  const { prevHash, ...row } = chainOn(before, { ...entry, data: JSON.stringify(entry.data) });
  await trx
    .insertInto('audit')
    .values({ ...row, prev_hash: prevHash })
    .execute();
  await trx.updateTable('audit_head').set({ hash: row.hash }).where('id', '=', 1).execute();
}
