import { type Adopted, type OutboxStore, shiftSubject, type UnsentMessage } from '../../app/outbox-ports.ts';
import type { MessageKind } from '../../app/ports.ts';
import type { MessageRef } from '../../model/incident.ts';
import { Message } from '../../model/message.ts';
import { addAudit, type Transaction } from '../database/journal.ts';
import { parseJson } from '../database/rows.ts';
import { noIncident } from './lifecycle.ts';
import { holdsTriage } from './triages.ts';

type Place = { readonly incidentId: string; readonly kind: MessageKind; readonly ref: MessageRef; readonly at: number };

type Queueing = {
  readonly once?: boolean | undefined;
  readonly triage?: string | undefined;
  readonly holder: string;
};

/** Stores a message before it is posted; not one of a triage that another process has taken over. */
export async function queueMessage(
  trx: Transaction,
  { id, incidentId, kind, conversation, thread, ref, message }: UnsentMessage,
  { once = false, triage, holder }: Queueing,
): Promise<boolean> {
  await needIncident(trx, incidentId);
  if (triage !== undefined && !(await holdsTriage(trx, triage, holder))) return false;
  if (once && (await hasMessage(trx, incidentId, kind))) return false;
  const row = { id, incidentId, kind, conversation, thread: thread?.ts ?? null, supersededBy: null };
  const placed = ref === null ? undefined : await copyAt(trx, { incidentId, kind, ref });
  // A change of a message that is known: it keeps its row.
  if (placed !== undefined) await trx.deleteFrom('outbox').where('id', '=', placed.id).execute();
  const n = placed?.n ?? (await nextNumber(trx, incidentId));
  await trx
    .insertInto('outbox')
    .values({ ...row, ts: ref?.ts ?? null, body: JSON.stringify(message), n, holder })
    .execute();
  return true;
}

/** Whether this process is still to send it: no other has taken it over, and nothing supersedes it. One that could not be stored is with nobody else. */
export async function holdsMessage(db: Transaction, id: string, holder: string): Promise<boolean> {
  const row = await db.selectFrom('outbox').select(['holder', 'supersededBy']).where('id', '=', id).executeTakeFirst();
  return row === undefined || (row.holder === holder && row.supersededBy === null);
}

/** A message that another copy supersedes does not count. */
export async function hasMessage(db: Transaction, incidentId: string, kind: MessageKind): Promise<boolean> {
  return (await current(db, incidentId, kind).select('id').executeTakeFirst()) !== undefined;
}

/** Notes where a message stands that was queued; its text is not kept any longer. */
export async function placeMessage(
  trx: Transaction,
  id: string,
  ref: MessageRef,
  at: number,
): ReturnType<OutboxStore['placeMessage']> {
  const row = await trx.selectFrom('outbox').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) return undefined;
  const { incidentId } = row;
  const kind = row.kind as MessageKind;
  const same = await copyAt(trx, { incidentId, kind, ref });
  // Somebody clicked on this very copy before Slack had answered.
  if (same !== undefined && same.id !== id) await trx.deleteFrom('outbox').where('id', '=', id).execute();
  else
    await trx
      .updateTable('outbox')
      .set({ body: null, ...ref })
      .where('id', '=', id)
      .execute();
  await tell(trx, { incidentId, kind, ref, at });
  if (row.supersededBy === null) return undefined;
  const now = (await messagesOf(trx, incidentId, kind)).filter(({ conversation }) => conversation === ref.conversation);
  return now.find(({ ts }) => ts !== ref.ts);
}

/** Another copy takes the place of one of which nothing is known. A change of a message that is known makes no copy. */
export async function repostMessage(trx: Transaction, id: string, newId: string): Promise<boolean> {
  const row = await trx.selectFrom('outbox').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined || row.supersededBy !== null || row.body === null) return false;
  if (row.ts !== null) {
    await trx.updateTable('outbox').set({ id: newId }).where('id', '=', id).execute();
    return true;
  }
  await trx.updateTable('outbox').set({ supersededBy: newId, body: null }).where('id', '=', id).execute();
  const n = await nextNumber(trx, row.incidentId);
  await trx
    .insertInto('outbox')
    .values({ ...row, id: newId, n })
    .execute();
  return true;
}

export async function dropMessage(trx: Transaction, id: string): Promise<void> {
  // A message that stands is not forgotten because one change of it was refused.
  await trx.updateTable('outbox').set({ body: null }).where('id', '=', id).execute();
  // A notice keeps its row, or each later look would post it again. A card is posted again at its next change.
  await trx
    .deleteFrom('outbox')
    .where('id', '=', id)
    .where('ts', 'is', null)
    .where(({ or, eb }) => or([eb('kind', '=', 'card'), eb('kind', 'like', 'plan/%')]))
    .execute();
}

/** Messages that Slack has not confirmed, the oldest first. */
export async function unsentMessages(db: Transaction): Promise<readonly UnsentMessage[]> {
  const rows = await db
    .selectFrom('outbox')
    .selectAll()
    .where('body', 'is not', null)
    .where('supersededBy', 'is', null)
    .orderBy('incidentId')
    .orderBy('n')
    .execute();
  return rows.map(({ id, incidentId, kind, conversation, thread, ts, body }) => ({
    id,
    incidentId,
    kind: kind as MessageKind,
    conversation,
    thread: thread === null ? null : { conversation, ts: thread },
    ref: ts === null ? null : { conversation, ts },
    message: parseJson(Message, body ?? '', 'message'),
  }));
}

/** Makes one copy the current message of its conversation. */
export async function adoptMessage(trx: Transaction, place: Place): Promise<Adopted> {
  const { incidentId, kind, ref } = place;
  const known = await copyAt(trx, place);
  if (known !== undefined && known.supersededBy === null) return { isNew: false, others: [] };
  // A button of another message, such as a reminder: that one stays what it is.
  if (known === undefined && (await isOfAnotherKind(trx, place))) return { isNew: false, others: [] };
  await needIncident(trx, incidentId);
  if (known !== undefined) await trx.deleteFrom('outbox').where('id', '=', known.id).execute();
  const id = copyId(place);
  const rows = await current(trx, incidentId, kind).select('ts').where('conversation', '=', ref.conversation).execute();
  await trx
    .updateTable('outbox')
    .set({ supersededBy: id, body: null })
    .where('incidentId', '=', incidentId)
    .where('kind', '=', kind)
    .where('conversation', '=', ref.conversation)
    .where('supersededBy', 'is', null)
    .execute();
  await insertPlaced(trx, place);
  const { conversation } = ref;
  return { isNew: true, others: rows.flatMap(({ ts }) => (ts === null ? [] : [{ conversation, ts }])) };
}

/** Places of messages, in the order in which they were noted. */
export async function messagesOf(
  db: Transaction,
  incidentId: string,
  kind: MessageKind,
): Promise<readonly MessageRef[]> {
  const rows = await current(db, incidentId, kind)
    .select(['conversation', 'ts'])
    .where('ts', 'is not', null)
    .orderBy('n')
    .execute();
  return rows.flatMap(({ conversation, ts }) => (ts === null ? [] : [{ conversation, ts }]));
}

function current(db: Transaction, incidentId: string, kind: MessageKind) {
  return db
    .selectFrom('outbox')
    .where('incidentId', '=', incidentId)
    .where('kind', '=', kind)
    .where('supersededBy', 'is', null);
}

type Copy = Omit<Place, 'at'>;

function copyAt(db: Transaction, { incidentId, kind, ref }: Copy) {
  return db
    .selectFrom('outbox')
    .select(['id', 'supersededBy', 'n'])
    .where('incidentId', '=', incidentId)
    .where('kind', '=', kind)
    .where('conversation', '=', ref.conversation)
    .where('ts', '=', ref.ts)
    .executeTakeFirst();
}

async function isOfAnotherKind(db: Transaction, { incidentId, ref }: Copy): Promise<boolean> {
  const row = await db
    .selectFrom('outbox')
    .select('id')
    .where('incidentId', '=', incidentId)
    .where('conversation', '=', ref.conversation)
    .where('ts', '=', ref.ts)
    .executeTakeFirst();
  return row !== undefined;
}

function copyId({ incidentId, kind, ref }: Copy): string {
  return [incidentId, kind, ref.conversation, ref.ts].join('/');
}

async function insertPlaced(trx: Transaction, place: Place): Promise<void> {
  const { incidentId, kind, ref } = place;
  const row = { id: copyId(place), incidentId, kind, ...ref, thread: null, body: null, supersededBy: null };
  await trx
    .insertInto('outbox')
    .values({ ...row, n: await nextNumber(trx, incidentId) })
    .execute();
  await tell(trx, place);
}

async function tell(trx: Transaction, { incidentId, kind, ref, at }: Place): Promise<void> {
  await addAudit(trx, { at, actor: 'oombot', action: 'message-saved', subject: incidentId, data: { kind, ...ref } });
}

async function needIncident(trx: Transaction, id: string): Promise<void> {
  if (id.startsWith(shiftSubject(''))) return;
  const incident = await trx.selectFrom('incident').select('id').where('id', '=', id).executeTakeFirst();
  if (incident === undefined) throw noIncident(id);
}

async function nextNumber(trx: Transaction, incidentId: string): Promise<number> {
  const { n } = await trx
    .selectFrom('outbox')
    .select(({ fn }) => fn.max('n').as('n'))
    .where('incidentId', '=', incidentId)
    .executeTakeFirstOrThrow();
  return Number(n ?? 0) + 1;
}
