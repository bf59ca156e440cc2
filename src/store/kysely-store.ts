import type { ActStore } from '../app/acting-ports.ts';
import type { Clock, Ids, Store, StoredFinding } from '../app/ports.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { createActStore } from './acting/create-act-store.ts';
import type { Access } from './database/access.ts';
import type { AuditSource } from './database/audit-chain.ts';
import { guarded } from './database/fault.ts';
import type { Transaction } from './database/journal.ts';
import type { AddedMigration } from './database/migrate.ts';
import { readAuditRow, readDiagnosis, readEvent, whole } from './database/rows.ts';
import { closeIncident, incidentOf, openIncidentOf, openIncidents, recordFinding } from './incidents/incidents.ts';
import { messagesOf, saveMessage } from './incidents/messages.ts';
import { packSnapshot, unpackSnapshot } from './incidents/snapshot-files.ts';
import { endTriage, placeTriage, startTriage, unfinishedTriages } from './incidents/triages.ts';
import { sweep } from './sweep.ts';

/** All that is kept, for triage and for acting. `added` are the migrations that this opening has made. */
export type DurableStore = Store & ActStore & AuditSource & { readonly added: readonly AddedMigration[] };

type Tools = { readonly clock: Clock; readonly ids: Ids; readonly added: readonly AddedMigration[] };

/** The store over any dialect whose database is migrated. Every method throws only OomError. */
export function createKyselyStore(access: Access, { clock, ids, added }: Tools): DurableStore {
  const { write } = access;
  return {
    ...createActStore(access, { clock, ids }),
    ...reader(access),
    added,
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
    close: access.close,
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

function reader({ read }: Access): Pick<Store, ReadingMethods> & AuditSource {
  return {
    unfinishedTriages: () => read(unfinishedTriages),
    incident: (id) => read((db) => incidentOf(db, id)),
    openIncidents: (scope) => read((db) => openIncidents(db, scope)),
    openIncidentOf: (workload, sinceMs) => read((db) => openIncidentOf(db, workload, sinceMs)),
    findings: (incidentId) => read((db) => findingsOf(db, incidentId)),
    snapshot: (id) => read((db) => snapshotOf(db, id)),
    messages: (incidentId, kind) => read((db) => messagesOf(db, incidentId, kind)),
    events: (incidentId) =>
      read(async (db) => {
        const rows = await db
          .selectFrom('event')
          .select('body')
          .where('incident_id', '=', incidentId)
          .orderBy('n')
          .execute();
        return rows.map((row) => readEvent(row.body));
      }),
    ...auditReader({ read }),
  };
}

async function findingsOf(db: Transaction, incidentId: string): Promise<readonly StoredFinding[]> {
  const rows = await db.selectFrom('finding').selectAll().where('incident_id', '=', incidentId).orderBy('n').execute();
  return rows.map((row) => ({
    id: row.id,
    incidentId: row.incident_id,
    snapshotId: row.snapshot_id,
    at: whole.parse(row.at),
    diagnosis: readDiagnosis(row.diagnosis),
  }));
}

async function snapshotOf(db: Transaction, id: string): Promise<Snapshot | undefined> {
  const row = await db.selectFrom('snapshot').select('id').where('id', '=', id).executeTakeFirst();
  if (row === undefined) return undefined;
  const files = await db.selectFrom('snapshot_file').selectAll().where('snapshot_id', '=', id).execute();
  return unpackSnapshot(id, files);
}

function auditReader({ read }: Pick<Access, 'read'>): AuditSource {
  return {
    auditHead: () =>
      read(async (db) => {
        const row = await db.selectFrom('audit_head').selectAll().where('id', '=', 1).executeTakeFirstOrThrow();
        return { seq: whole.parse(row.seq), hash: row.hash };
      }),
    auditRows: (fromSeq, limit) =>
      read(async (db) => {
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
