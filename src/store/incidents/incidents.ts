import type { IncidentEntry } from '../../app/incident-ports.ts';
import type { Ids, IncidentDraft, IncidentPlace, OpenedIncident, Store } from '../../app/ports.ts';
import { OomError } from '../../model/errors.ts';
import type { Incident } from '../../model/incident.ts';
import { addAudit, addEvent, type Transaction } from '../database/journal.ts';
import { readIncident, writeIncident } from '../database/rows.ts';
import { closeOpen, reopen } from './lifecycle.ts';
import type { PackedSnapshot } from './snapshot-files.ts';
import { holdsTriage } from './triages.ts';

type Recording = Parameters<Store['recordFinding']>[0];

/** Undefined, and nothing is written, where another process has taken the triage over. */
export async function recordFindingOf(
  trx: Transaction,
  { ids, holder, triage }: { readonly ids: Ids; readonly holder: string; readonly triage: string },
  ...recording: [Recording, PackedSnapshot]
): Promise<Awaited<ReturnType<typeof recordFinding>> | undefined> {
  return (await holdsTriage(trx, triage, holder)) ? recordFinding(trx, ids, ...recording) : undefined;
}

/** Finds or opens the incident and writes snapshot, finding, events and audit with it, in the caller's transaction. */
export async function recordFinding(
  trx: Transaction,
  ids: Ids,
  input: Recording,
  packed: PackedSnapshot,
): Promise<OpenedIncident & { findingId: string }> {
  const opened = await findOrOpen(trx, ids, input);
  const incidentId = opened.incident.id;
  await saveSnapshot(trx, packed, incidentId, input.at);
  const findingId = ids.next('find');
  const { at, actor, diagnosis, draft } = input;
  const n = await nextFinding(trx, incidentId);
  const row = { id: findingId, incidentId, snapshotId: packed.id, n, at, death: draft.death ?? null };
  await trx
    .insertInto('finding')
    .values({ ...row, diagnosis: JSON.stringify(diagnosis) })
    .execute();
  const { verdict } = diagnosis;
  await addEvent(trx, { kind: 'verdict-given', at, incidentId, actor, snapshotId: packed.id, verdict });
  const { cause, certain } = verdict;
  const told = { findingId, snapshotId: packed.id, snapshotHash: packed.hash, cause, certain, isNew: opened.isNew };
  await addAudit(trx, { at, actor, action: 'finding-recorded', subject: incidentId, data: told });
  return { ...opened, findingId };
}

async function findOrOpen(trx: Transaction, ids: Ids, input: Recording): Promise<OpenedIncident> {
  const { draft, at, actor, windowMs } = input;
  const last = await lastOf(trx, draft.key);
  if (last !== undefined && (last.closedAt ?? last.lastSeenAt) >= at - windowMs) {
    if (draft.isHealthy || (await isKnownDeath(trx, last.id, draft.death))) return lookAgain(trx, last, draft);
    if (last.state === 'open') return seeAgain(trx, last, input);
    await reopen(trx, last, { actor, at });
    return { ...(await seeAgain(trx, await incidentThere(trx, last.id), input)), reopened: last };
  }
  if (last?.state === 'open') {
    // One key has one open incident, so the old one ends here.
    await closeOpen(trx, last, { actor, at, why: 'Not seen again within the window; a new incident was opened.' });
  }
  const incident = newIncident(ids.next('inc'), draft, at);
  await trx.insertInto('incident').values(writeIncident(incident)).execute();
  await addEvent(trx, { kind: 'incident-opened', at, incidentId: incident.id, actor, workload: incident.workload });
  return { incident, isNew: true };
}

/** The open incident of this key, else the one that was closed last. */
async function lastOf(trx: Transaction, key: string): Promise<Incident | undefined> {
  const of = trx.selectFrom('incident').selectAll().where('key', '=', key);
  const row =
    (await of.where('state', '=', 'open').executeTakeFirst()) ??
    (await of.orderBy('closedAt', 'desc').orderBy('id', 'desc').executeTakeFirst());
  return row === undefined ? undefined : readIncident(row);
}

async function incidentThere(trx: Transaction, id: string): Promise<Incident> {
  return readIncident(await trx.selectFrom('incident').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
}

// A death that is known already: the newest verdict counts, but nothing failed again.
async function lookAgain(trx: Transaction, known: Incident, draft: IncidentDraft): Promise<OpenedIncident> {
  const incident: Incident = { ...known, ...latestOf(draft) };
  await trx.updateTable('incident').set(writeIncident(incident)).where('id', '=', known.id).execute();
  return { incident, isNew: false };
}

// The newest pod and verdict stand in the incident; the earlier ones stay in its findings.
async function seeAgain(trx: Transaction, open: Incident, { draft, at, actor }: Recording): Promise<OpenedIncident> {
  const incident: Incident = {
    ...open,
    ...latestOf(draft),
    seen: open.seen + 1,
    lastSeenAt: Math.max(open.lastSeenAt, at),
  };
  await trx.updateTable('incident').set(writeIncident(incident)).where('id', '=', open.id).execute();
  await addEvent(trx, { kind: 'incident-seen-again', at, incidentId: open.id, actor, seen: incident.seen });
  return { incident, isNew: false };
}

async function isKnownDeath(trx: Transaction, incidentId: string, death: string | undefined): Promise<boolean> {
  if (death === undefined) return false;
  const of = trx.selectFrom('finding').select('id').where('incidentId', '=', incidentId).where('death', '=', death);
  return (await of.executeTakeFirst()) !== undefined;
}

async function nextFinding(trx: Transaction, incidentId: string): Promise<number> {
  const of = trx
    .selectFrom('finding')
    .select(({ fn }) => fn.max('n').as('last'))
    .where('incidentId', '=', incidentId);
  return Number((await of.executeTakeFirst())?.last ?? 0) + 1;
}

function latestOf({ pod, verdict }: IncidentDraft) {
  const { plane, phase, cause, certain, causeCertain } = verdict;
  return { pod, plane, phase, cause, certain, causeCertain };
}

const HEALTHY = { state: 'closed', closedBy: 'oombot', closedWhy: 'Nothing had failed.' } as const;
const OPEN = { state: 'open', closedBy: null, closedWhy: null } as const;

function newIncident(id: string, draft: IncidentDraft, at: number): Incident {
  const { key, cluster, namespace, workload, isHealthy = false } = draft;
  const times = { openedAt: at, lastSeenAt: at, closedAt: isHealthy ? at : null, reopenedAt: null };
  const care = { ...(isHealthy ? HEALTHY : OPEN), ackBy: null, ackAt: null };
  return { id, key, cluster, namespace, workload, ...latestOf(draft), ...care, seen: 1, ...times };
}

async function saveSnapshot(trx: Transaction, packed: PackedSnapshot, incidentId: string, at: number): Promise<void> {
  const stored = await trx.selectFrom('snapshot').select('hash').where('id', '=', packed.id).executeTakeFirst();
  if (stored?.hash === packed.hash) return;
  if (stored !== undefined) {
    throw new OomError('store-failed', `Other evidence is already stored as ${packed.id}.`, {
      next: 'Collect it again; each collection gets a new id.',
    });
  }
  await trx.insertInto('snapshot').values({ id: packed.id, incidentId, at, hash: packed.hash }).execute();
  for (const file of packed.files) {
    await trx
      .insertInto('snapshotFile')
      .values({ snapshotId: packed.id, ...file })
      .execute();
  }
}

/** Open incidents, the one seen last first; of `ids` alone where they are given. */
export async function openIncidents(db: Transaction, ids?: readonly string[]): Promise<readonly Incident[]> {
  if (ids?.length === 0) return [];
  const open = seenLastFirst(db).where('state', '=', 'open').selectAll();
  const rows = await (ids === undefined ? open : open.where('id', 'in', ids)).execute();
  return rows.map(readIncident);
}

/** Not parsed one by one: of thousands a page is read. */
export async function openPlaces(db: Transaction): Promise<readonly IncidentPlace[]> {
  return seenLastFirst(db).where('state', '=', 'open').select(PLACE).execute();
}

const PLACE = ['id', 'cluster', 'namespace', 'workload'] as const;

/** Every incident, open or closed, the one seen last first. */
export async function incidentPlaces(db: Transaction): Promise<readonly IncidentEntry[]> {
  return seenLastFirst(db)
    .select([...PLACE, 'plane', 'phase', 'cause', 'openedAt', 'lastSeenAt'])
    .execute();
}

/** Incidents of these ids, open or closed, the one seen last first. */
export async function incidentsOf(db: Transaction, ids: readonly string[]): Promise<readonly Incident[]> {
  if (ids.length === 0) return [];
  return (await seenLastFirst(db).selectAll().where('id', 'in', ids).execute()).map(readIncident);
}

export async function closedSince(db: Transaction, sinceMs: number): Promise<readonly Incident[]> {
  return (await seenLastFirst(db).selectAll().where('closedAt', '>=', sinceMs).execute()).map(readIncident);
}

function seenLastFirst(db: Transaction) {
  return db.selectFrom('incident').orderBy('lastSeenAt', 'desc').orderBy('id', 'desc');
}

/** The open incident of a workload that was seen last, at `sinceMs` (epoch ms) or later. */
export async function openIncidentOf(
  db: Transaction,
  of: { readonly cluster: string; readonly namespace: string; readonly workload: string },
  sinceMs: number,
): Promise<Incident | undefined> {
  const row = await db
    .selectFrom('incident')
    .selectAll()
    .where('cluster', '=', of.cluster)
    .where('namespace', '=', of.namespace)
    .where('workload', '=', of.workload)
    .where('state', '=', 'open')
    .where('lastSeenAt', '>=', sinceMs)
    .orderBy('lastSeenAt', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst();
  return row === undefined ? undefined : readIncident(row);
}

export async function incidentOf(db: Transaction, id: string): Promise<Incident | undefined> {
  const row = await db.selectFrom('incident').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : readIncident(row);
}
