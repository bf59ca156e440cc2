import { type RefusedMessage, shiftSubject } from '../../app/outbox-ports.ts';
import type { MessageKind } from '../../app/ports.ts';
import type { Transaction } from '../database/journal.ts';

/** A notice that was dropped keeps its row, with neither a text nor a place. Of shift handovers the last one of a channel counts. */
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
  return [...rows, ...(await refusedShifts(db))].map((row) => ({ ...row, kind: row.kind as MessageKind }));
}

async function refusedShifts(db: Transaction) {
  const rows = await db
    .selectFrom('outbox')
    .select(({ fn }) => ['incidentId', fn.max('n').as('n')])
    .where('incidentId', 'like', shiftSubject('%'))
    .where('kind', 'like', 'shift/%')
    .where('supersededBy', 'is', null)
    .groupBy('incidentId')
    .orderBy('incidentId')
    .execute();
  const last = await Promise.all(
    rows.map(({ incidentId, n }) =>
      db
        .selectFrom('outbox')
        .select(['incidentId', 'kind', 'conversation'])
        .where('incidentId', '=', incidentId)
        .where('n', '=', n)
        .where('body', 'is', null)
        .where('ts', 'is', null)
        .executeTakeFirst(),
    ),
  );
  return last.filter((row) => row !== undefined);
}
