import type { Kysely } from 'kysely';
import type { Clock, Ids, Store, StoredFinding } from '../app/ports.ts';
import type { AuditSource } from './audit-chain.ts';
import { guarded } from './fault.ts';
import { closeIncident, openIncidentOf, openIncidents, recordFinding } from './incidents.ts';
import type { Transaction } from './journal.ts';
import { messagesOf, saveMessage } from './messages.ts';
import { readAuditRow, readDiagnosis, readEvent, readIncident, whole } from './rows.ts';
import { packSnapshot, unpackSnapshot } from './snapshot-files.ts';
import { sweep } from './sweep.ts';
import type { Tables } from './tables.ts';
import { endTriage, placeTriage, startTriage, unfinishedTriages } from './triages.ts';

type Tools = { readonly clock: Clock; readonly ids: Ids };

/** The store over any dialect whose database is migrated. Every method throws only OomError. */
export function createKyselyStore(db: Kysely<Tables>, { clock, ids }: Tools): Store & AuditSource {
  const write = <T>(work: (trx: Transaction) => Promise<T>): Promise<T> =>
    guarded(() => db.transaction().execute(work));
  let closing: Promise<void> | undefined;
  return {
    ...reader(db),
    startTriage: (run) => write((trx) => startTriage(trx, run)),
    placeTriage: (id, ref) => write((trx) => placeTriage(trx, id, ref, clock.now())),
    endTriage: (id, end) => write((trx) => endTriage(trx, id, end)),
    recordFinding: (input) =>
      guarded(async () => {
        const packed = await packSnapshot(input.snapshot);
        return write((trx) => recordFinding(trx, ids, input, packed));
      }),
    closeIncident: (id, input) => write((trx) => closeIncident(trx, id, input)),
    saveMessage: (incidentId, kind, ref) =>
      write((trx) => saveMessage(trx, { incidentId, kind, ref, at: clock.now() })),
    sweep: (marks) => write((trx) => sweep(trx, marks, clock.now())),
    close() {
      closing ??= guarded(() => db.destroy());
      return closing;
    },
  };
}

type ReadingMethods =
  | 'unfinishedTriages'
  | 'incident'
  | 'openIncidents'
  | 'openIncidentOf'
  | 'findings'
  | 'snapshot'
  | 'messages'
  | 'events';

function reader(db: Kysely<Tables>): Pick<Store, ReadingMethods> & AuditSource {
  return {
    unfinishedTriages: () => guarded(() => unfinishedTriages(db)),
    incident: (id) =>
      guarded(async () => {
        const row = await db.selectFrom('incident').selectAll().where('id', '=', id).executeTakeFirst();
        return row === undefined ? undefined : readIncident(row);
      }),
    openIncidents: (scope) => guarded(() => openIncidents(db, scope)),
    openIncidentOf: (workload, sinceMs) => guarded(() => openIncidentOf(db, workload, sinceMs)),
    findings: (incidentId) => guarded(() => findingsOf(db, incidentId)),
    snapshot: (id) =>
      guarded(async () => {
        const row = await db.selectFrom('snapshot').select('id').where('id', '=', id).executeTakeFirst();
        if (row === undefined) return undefined;
        const files = await db.selectFrom('snapshot_file').selectAll().where('snapshot_id', '=', id).execute();
        return unpackSnapshot(id, files);
      }),
    messages: (incidentId, kind) => guarded(() => messagesOf(db, incidentId, kind)),
    events: (incidentId) =>
      guarded(async () => {
        const rows = await db
          .selectFrom('event')
          .select('body')
          .where('incident_id', '=', incidentId)
          .orderBy('n')
          .execute();
        return rows.map((row) => readEvent(row.body));
      }),
    ...auditReader(db),
  };
}

async function findingsOf(db: Kysely<Tables>, incidentId: string): Promise<readonly StoredFinding[]> {
  const rows = await db.selectFrom('finding').selectAll().where('incident_id', '=', incidentId).orderBy('n').execute();
  return rows.map((row) => ({
    id: row.id,
    incidentId: row.incident_id,
    snapshotId: row.snapshot_id,
    at: whole.parse(row.at),
    diagnosis: readDiagnosis(row.diagnosis),
  }));
}

function auditReader(db: Kysely<Tables>): AuditSource {
  return {
    auditHead: () =>
      guarded(async () => {
        const row = await db.selectFrom('audit_head').selectAll().where('id', '=', 1).executeTakeFirstOrThrow();
        return { seq: whole.parse(row.seq), hash: row.hash };
      }),
    auditRows: (fromSeq, limit) =>
      guarded(async () => {
        const rows = await db
          .selectFrom('audit')
          .selectAll()
          .where('seq', '>=', fromSeq)
          .orderBy('seq')
          .limit(limit)
          .execute();
        return rows.map(readAuditRow);
      }),
  };
}
