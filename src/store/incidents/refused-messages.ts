import type { RefusedMessage } from '../../app/outbox-ports.ts';
import type { MessageKind } from '../../app/ports.ts';
import type { Transaction } from '../database/journal.ts';

/** A notice that was dropped keeps its row, with neither a text nor a place. */
export async function refusedMessages(db: Transaction): Promise<readonly RefusedMessage[]> {
  const rows = await db
    .selectFrom('outbox')
    .innerJoin('incident', 'incident.id', 'outbox.incidentId')
    .select(['incidentId', 'kind', 'conversation'])
    .where('incident.state', '=', 'open')
    .where('body', 'is', null)
    .where('ts', 'is', null)
    .where('supersededBy', 'is', null)
    .orderBy('incidentId')
    .orderBy('n')
    .execute();
  return rows.map((row) => ({ ...row, kind: row.kind as MessageKind }));
}
