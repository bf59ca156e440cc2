import type { Ids, IncidentDraft, IncidentPlace, OpenedIncident, Store } from '../../app/ports.ts';
import { OomError } from '../../model/errors.ts';
import type { Incident } from '../../model/incident.ts';
import { addAudit, addEvent, type Transaction } from '../database/journal.ts';
import { readIncident, writeIncident } from '../database/rows.ts';
import type { PackedSnapshot } from './snapshot-files.ts';

type Recording = Parameters<Store['recordFinding']>[0];
type Closing = { readonly actor: string; readonly why: string; readonly at: number };

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
  const { draft, at, actor } = input;
  const row = await trx
    .selectFrom('incident')
    .selectAll()
    .where('key', '=', draft.key)
    .where('state', '=', 'open')
    .executeTakeFirst();
  const open = row === undefined ? undefined : readIncident(row);
  if (open !== undefined && open.lastSeenAt >= at - input.windowMs) return seeAgain(trx, open, input);
  if (open !== undefined) {
    // One key has one open incident, so the old one ends here.
    await closeOpen(trx, open.id, { actor, at, why: 'Not seen again within the window; a new incident was opened.' });
  }
  const incident = newIncident(ids.next('inc'), draft, at);
  await trx.insertInto('incident').values(writeIncident(incident)).execute();
  await addEvent(trx, { kind: 'incident-opened', at, incidentId: incident.id, actor, workload: incident.workload });
  return { incident, isNew: true };
}

// The newest pod and verdict stand in the incident; the earlier ones stay in its findings.
async function seeAgain(trx: Transaction, open: Incident, { draft, at, actor }: Recording): Promise<OpenedIncident> {
  const incident: Incident = {
    ...open,
    ...latestOf(draft),
    seen: open.seen + ((await isKnownDeath(trx, open.id, draft.death)) ? 0 : 1),
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

function newIncident(id: string, draft: IncidentDraft, at: number): Incident {
  const { key, cluster, namespace, workload } = draft;
  const times = { openedAt: at, lastSeenAt: at, closedAt: null };
  return { id, key, cluster, namespace, workload, ...latestOf(draft), state: 'open', seen: 1, ...times };
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

/** Closes an incident. One that is closed already stays as it is. */
export async function closeIncident(trx: Transaction, id: string, closing: Closing): Promise<void> {
  const row = await trx.selectFrom('incident').select('state').where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw noIncident(id);
  if (row.state === 'open') await closeOpen(trx, id, closing);
}

async function closeOpen(trx: Transaction, id: string, { actor, why, at }: Closing): Promise<void> {
  await trx.updateTable('incident').set({ state: 'closed', closedAt: at }).where('id', '=', id).execute();
  await addEvent(trx, { kind: 'incident-closed', at, incidentId: id, actor, why });
  await addAudit(trx, { at, actor, action: 'incident-closed', subject: id, data: { why } });
}

export function noIncident(id: string): OomError {
  return new OomError('not-found', `No incident ${id}.`, {
    next: '`oom status` lists open incidents. Old ones are deleted after `store.retentionDays`.',
  });
}

/** Open incidents, the one seen last first; of `ids` alone where they are given. */
export async function openIncidents(db: Transaction, ids?: readonly string[]): Promise<readonly Incident[]> {
  if (ids?.length === 0) return [];
  const open = seenLastFirst(db).selectAll();
  const rows = await (ids === undefined ? open : open.where('id', 'in', ids)).execute();
  return rows.map(readIncident);
}

/** Not parsed one by one: of thousands a page is read. */
export async function openPlaces(db: Transaction): Promise<readonly IncidentPlace[]> {
  return seenLastFirst(db).select(['id', 'cluster', 'namespace']).execute();
}

function seenLastFirst(db: Transaction) {
  return db.selectFrom('incident').where('state', '=', 'open').orderBy('lastSeenAt', 'desc').orderBy('id', 'desc');
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
