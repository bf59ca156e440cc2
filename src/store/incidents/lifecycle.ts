import type { IncidentStore } from '../../app/incident-ports.ts';
import { OomError } from '../../model/errors.ts';
import type { Incident } from '../../model/incident.ts';
import { addAudit, addEvent, type Transaction } from '../database/journal.ts';
import { readIncident, writeIncident } from '../database/rows.ts';

type Closing = Parameters<IncidentStore['closeIncident']>[1];

/** Closes an incident, and answers how it was before. One that is closed already, or was seen since `seenAt`, stays as it is. */
export async function closeIncident(trx: Transaction, id: string, { seenAt, ...closing }: Closing): Promise<Incident> {
  const before = await needIncident(trx, id);
  const isUnseen = seenAt === undefined || before.lastSeenAt === seenAt;
  if (before.state === 'open' && isUnseen) await closeOpen(trx, before, closing);
  return before;
}

export async function closeOpen(
  trx: Transaction,
  open: Incident,
  { actor, why, at }: Omit<Closing, 'seenAt'>,
): Promise<void> {
  const closed = { state: 'closed', closedAt: at, closedBy: actor, closedWhy: why } as const;
  await save(trx, { ...open, ...closed });
  await addEvent(trx, { kind: 'incident-closed', at, incidentId: open.id, actor, why });
  await addAudit(trx, { at, actor, action: 'incident-closed', subject: open.id, data: { why } });
}

/** Whoever was on it before may be gone by now. */
export async function reopen(
  trx: Transaction,
  closed: Incident,
  { actor, at }: { readonly actor: string; readonly at: number },
): Promise<void> {
  const open = { state: 'open', closedAt: null, closedBy: null, closedWhy: null, reopenedAt: at } as const;
  await save(trx, { ...closed, ...open, ackBy: null, ackAt: null });
  await addEvent(trx, { kind: 'incident-reopened', at, incidentId: closed.id, actor, seen: closed.seen });
  await addAudit(trx, { at, actor, action: 'incident-reopened', subject: closed.id, data: { seen: closed.seen } });
}

/** What a run has closed is open again once that run is rolled back. */
export async function reopenAfter(
  trx: Transaction,
  runId: string,
  { incidentId, actor, at }: { readonly incidentId: string; readonly actor: string; readonly at: number },
): Promise<void> {
  const incident = await needIncident(trx, incidentId);
  if (incident.state === 'open' || incident.closedWhy !== closedByRun(runId)) return;
  const open = trx.selectFrom('incident').select('id').where('key', '=', incident.key).where('state', '=', 'open');
  // One key has one open incident.
  if ((await open.executeTakeFirst()) === undefined) await reopen(trx, incident, { actor, at });
}

export function closedByRun(runId: string): string {
  return `${runId} was verified.`;
}

/** Notes who is on an incident, and answers how it was before. A closed one stays as it is. */
export async function acknowledge(
  trx: Transaction,
  id: string,
  { by, at }: Parameters<IncidentStore['acknowledge']>[1],
): Promise<Incident> {
  const before = await needIncident(trx, id);
  if (before.state === 'closed' || before.ackBy === by) return before;
  await save(trx, { ...before, ackBy: by, ackAt: at });
  await addEvent(trx, { kind: 'incident-acknowledged', at, incidentId: id, actor: by });
  const data = { before: before.ackBy };
  await addAudit(trx, { at, actor: by, action: 'incident-acknowledged', subject: id, data });
  return before;
}

async function save(trx: Transaction, incident: Incident): Promise<void> {
  await trx.updateTable('incident').set(writeIncident(incident)).where('id', '=', incident.id).execute();
}

async function needIncident(trx: Transaction, id: string): Promise<Incident> {
  const row = await trx.selectFrom('incident').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw noIncident(id);
  return readIncident(row);
}

export function noIncident(id: string): OomError {
  return new OomError('not-found', `No incident ${id}.`, {
    next: '`oom status` lists open incidents. Old ones are deleted after `store.retentionDays`.',
  });
}
