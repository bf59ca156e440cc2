import type { Kysely } from 'kysely';
import type { DomainEvent } from '../../model/events.ts';
import { type AuditEntry, chainOn } from './audit-chain.ts';
import type { Tables } from './tables.ts';

export type Transaction = Kysely<Tables>;

/** Writes an event after the others of its incident, whose row the caller has written or locked before. */
export async function addEvent(trx: Transaction, event: DomainEvent): Promise<void> {
  const { n } = await trx
    .selectFrom('event')
    .select(({ fn }) => fn.countAll().as('n'))
    .where('incidentId', '=', event.incidentId)
    .executeTakeFirstOrThrow();
  const { incidentId, at, kind } = event;
  const row = { incidentId, n: Number(n) + 1, at, kind, body: JSON.stringify(event) };
  await trx.insertInto('event').values(row).execute();
}

/** Adds to the audit. The update of the head comes first: it makes writers of other processes wait. */
export async function addAudit(
  trx: Transaction,
  entry: Omit<AuditEntry, 'data'> & { readonly data: Readonly<Record<string, unknown>> },
): Promise<void> {
  const head = await trx
    .updateTable('auditHead')
    .set(({ eb }) => ({ seq: eb('seq', '+', 1) }))
    .where('id', '=', 1)
    .returning(['seq', 'hash'])
    .executeTakeFirstOrThrow();
  const row = chainOn({ seq: head.seq - 1, hash: head.hash }, { ...entry, data: JSON.stringify(entry.data) });
  await trx.insertInto('audit').values(row).execute();
  await trx.updateTable('auditHead').set({ hash: row.hash }).where('id', '=', 1).execute();
}
