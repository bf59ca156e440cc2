import type { ActStore } from '../app/acting-ports.ts';
import type { AlertStore } from '../app/alert-ports.ts';
import type { IncidentStore, StartStore } from '../app/incident-ports.ts';
import type { OutboxStore, ReplicaStore, RequestStore } from '../app/outbox-ports.ts';
import type { Clock, Ids, Store, StoredFinding } from '../app/ports.ts';
import { DomainEvent } from '../model/events.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { Diagnosis } from '../model/verdict.ts';
import { createActStore } from './acting/create-act-store.ts';
import type { Access } from './database/access.ts';
import type { AuditSource } from './database/audit-chain.ts';
import { guarded } from './database/fault.ts';
import type { Transaction } from './database/journal.ts';
import type { AddedMigration } from './database/migrate.ts';
import { parseJson } from './database/rows.ts';
import { incidentAlerts, resolveAlerts, takeAlerts, tellAlerts, untoldAlerts } from './incidents/alerts.ts';
import { allFeedback, saveFeedback } from './incidents/feedback.ts';
import {
  closedSince,
  incidentPlaces,
  incidentsOf,
  openIncidentOf,
  openIncidents,
  openPlaces,
  recordFinding,
  recordFindingOf,
} from './incidents/incidents.ts';
import { acknowledge, closeIncident } from './incidents/lifecycle.ts';
import {
  adoptMessage,
  dropMessage,
  hasMessage,
  holdsMessage,
  messagesOf,
  placeMessage,
  queueMessage,
  repostMessage,
  unsentMessages,
} from './incidents/messages.ts';
import { refusedMessages } from './incidents/refused-messages.ts';
import { beat, leave, takeOver } from './incidents/replicas.ts';
import {
  createReleases,
  keepRequest,
  keepsRequest,
  keptRequests,
  releaseRequest,
  retryRequest,
} from './incidents/requests.ts';
import { silence, silencesAt, unsilence } from './incidents/silences.ts';
import { packSnapshot, unpackSnapshot } from './incidents/snapshot-files.ts';
import {
  endTriage,
  holdsTriage,
  placeTriage,
  retryTriage,
  startTriage,
  unfinishedTriages,
} from './incidents/triages.ts';
import { keepStart, measuredStarts } from './measured-starts.ts';
import { sweep } from './sweep.ts';

/** All that is kept, for triage and for acting. `added` are the migrations that this opening has made. */
export type DurableStore = Store &
  AlertStore &
  IncidentStore &
  StartStore &
  ActStore &
  OutboxStore &
  RequestStore &
  ReplicaStore &
  AuditSource & {
    readonly added: readonly AddedMigration[];
    /** How soon the work of a process that died may be taken over: no other one serves. Undefined where one may. */
    readonly takeOverMs?: number | undefined;
  };

type Tools = Pick<DurableStore, 'added' | 'takeOverMs'> & { readonly clock: Clock; readonly ids: Ids };

/** The store over any dialect whose database is migrated. Every method throws only OomError. */
export function createKyselyStore(access: Access, { clock, ids, added, takeOverMs }: Tools): DurableStore {
  const { read, write } = access;
  const holder = ids.next('bot');
  const releases = createReleases();
  return {
    ...createActStore(access, { clock, ids, holder, releases }),
    added,
    takeOverMs,
    startTriage: async (run, request) =>
      releases.note(request, await write((trx) => startTriage(trx, run, { request, holder }))),
    retryTriage: (id) => write((trx) => retryTriage(trx, id, clock.now())),
    holdsTriage: (id) => read((db) => holdsTriage(db, id, holder)),
    placeTriage: (id, ref) => write((trx) => placeTriage(trx, id, { ref, at: clock.now(), holder })),
    endTriage: (id, end) => write((trx) => endTriage(trx, id, { ...end, holder })),
    unfinishedTriages: () => read(unfinishedTriages),
    recordFinding: (input) =>
      guarded(async () => {
        const packed = await packSnapshot(input.snapshot);
        return write((trx) => recordFinding(trx, ids, input, packed));
      }),
    recordFindingOf: (triage, input) =>
      guarded(async () => {
        const packed = await packSnapshot(input.snapshot);
        return write((trx) => recordFindingOf(trx, { ids, holder, triage }, input, packed));
      }),
    closeIncident: (id, input) => write((trx) => closeIncident(trx, id, input)),
    acknowledge: (id, input) => write((trx) => acknowledge(trx, id, input)),
    saveFeedback: (feedback) => write((trx) => saveFeedback(trx, feedback)),
    feedback: () => read(allFeedback),
    silence: (one) => write((trx) => silence(trx, one)),
    unsilence: (place, end) => write((trx) => unsilence(trx, place, end)),
    takeAlerts: (offered, by) => write((trx) => takeAlerts(trx, offered, { by, holder })),
    resolveAlerts: (alerts, at) => write((trx) => resolveAlerts(trx, alerts, at)),
    untoldAlerts: () => read(untoldAlerts),
    tellAlerts: (keys, at) => write((trx) => tellAlerts(trx, keys, at)),
    incidentAlerts: () => read(incidentAlerts),
    silences: (at) => read((db) => silencesAt(db, at)),
    keepStart: (start) => write((trx) => keepStart(trx, start)),
    measuredStarts: (of) => read((db) => measuredStarts(db, of)),
    incidentPlaces: () => read(incidentPlaces),
    incidents: (ids) => read((db) => incidentsOf(db, ids)),
    closedSince: (sinceMs) => read((db) => closedSince(db, sinceMs)),
    openIncidents: (ids) => read((db) => openIncidents(db, ids)),
    openPlaces: () => read(openPlaces),
    openIncidentOf: (workload, sinceMs) => read((db) => openIncidentOf(db, workload, sinceMs)),
    findings: (incidentId) => read((db) => findingsOf(db, incidentId)),
    snapshot: (id) => read((db) => snapshotOf(db, id)),
    messages: (incidentId, kind) => read((db) => messagesOf(db, incidentId, kind)),
    queueMessage: (unsent, once, triage) => write((trx) => queueMessage(trx, unsent, { once, triage, holder })),
    holdsMessage: (id) => read((db) => holdsMessage(db, id, holder)),
    hasMessage: (incidentId, kind) => read((db) => hasMessage(db, incidentId, kind)),
    placeMessage: (id, ref) => write((trx) => placeMessage(trx, id, ref, clock.now())),
    repostMessage: (id, newId) => write((trx) => repostMessage(trx, id, newId)),
    dropMessage: (id) => write((trx) => dropMessage(trx, id)),
    unsentMessages: () => read(unsentMessages),
    refusedMessages: () => read(refusedMessages),
    adoptMessage: (incidentId, kind, ref) =>
      write((trx) => adoptMessage(trx, { incidentId, kind, ref, at: clock.now() })),
    keepRequest: (request) => write((trx) => keepRequest(trx, request, holder)),
    holdsRequest: async (id) => releases.has(id) || read((db) => keepsRequest(db, id, holder)),
    releaseRequest: async (id) => void releases.note(id, await write((trx) => releaseRequest(trx, id, holder))),
    retryRequest: (id) => write((trx) => retryRequest(trx, id)),
    keptRequests: () => read(keptRequests),
    beat: () => write(async (trx) => beat(trx, holder, await access.now(trx))),
    leave: () => write((trx) => leave(trx, holder)),
    takeOver: (goneBefore, unheldBefore) =>
      write(async (trx) => takeOver(trx, { holder, goneBefore, unheldBefore, at: await access.now(trx) })),
    events: (incidentId) => read((db) => eventsOf(db, incidentId)),
    auditHead: () =>
      read(async (db) => {
        await access.checkSame?.(db);
        return auditHead(db);
      }),
    auditRows: (fromSeq, limit) => read((db) => auditRows(db, fromSeq, limit)),
    sweep: (marks) => write((trx) => sweep(trx, marks, clock.now())),
    close: access.close,
  };
}

async function findingsOf(db: Transaction, incidentId: string): Promise<readonly StoredFinding[]> {
  const rows = await db.selectFrom('finding').selectAll().where('incidentId', '=', incidentId).orderBy('n').execute();
  return rows.map(({ n: _n, death: _death, ...row }) => ({
    ...row,
    diagnosis: parseJson(Diagnosis, row.diagnosis, 'finding'),
  }));
}

async function snapshotOf(db: Transaction, id: string): Promise<Snapshot | undefined> {
  const row = await db.selectFrom('snapshot').select('id').where('id', '=', id).executeTakeFirst();
  if (row === undefined) return undefined;
  const files = await db.selectFrom('snapshotFile').selectAll().where('snapshotId', '=', id).execute();
  return unpackSnapshot(id, files);
}

async function eventsOf(db: Transaction, incidentId: string): Promise<readonly DomainEvent[]> {
  const rows = await db.selectFrom('event').select('body').where('incidentId', '=', incidentId).orderBy('n').execute();
  return rows.map(({ body }) => parseJson(DomainEvent, body, 'event'));
}

function auditHead(db: Transaction): ReturnType<AuditSource['auditHead']> {
  return db.selectFrom('auditHead').select(['seq', 'hash']).where('id', '=', 1).executeTakeFirstOrThrow();
}

function auditRows(db: Transaction, fromSeq: number, limit: number): ReturnType<AuditSource['auditRows']> {
  return db.selectFrom('audit').selectAll().where('seq', '>=', fromSeq).orderBy('seq').limit(limit).execute();
}
