import type { Selectable } from 'kysely';
import type { ChangeMove, LedgerStore } from '../../app/ledger-ports.ts';
import { ChangeDraft, isOpenChange, OPEN_CHANGES, reminderAt, TemporaryChange } from '../../model/temporary-change.ts';
import { addAudit, addEvent, type Transaction } from '../database/journal.ts';
import { parseJson, parseRow } from '../database/rows.ts';
import type { Tables } from '../database/tables.ts';

const BOT = 'oombot';

/** Enters what a run has changed, once for each run. */
export async function enterChange(trx: Transaction, draft: ChangeDraft): Promise<void> {
  const { id, runId, incidentId, appliedAt: at, expiresAt, requestedBy: actor } = draft;
  if ((await changeOfRun(trx, runId)) !== undefined) return;
  const times = { stateAt: at, expiresAt, nextCheckAt: at, checkedAt: null };
  const rest = { state: 'temporary' as const, stateBy: null, why: null, checkFault: null };
  await trx
    .insertInto('ledger')
    .values({ id, runId, incidentId, ...times, ...rest, body: JSON.stringify(draft) })
    .execute();
  await addEvent(trx, { kind: 'change-entered', at, incidentId, actor, changeId: id, runId });
  await addAudit(trx, { at, actor: BOT, action: 'change-entered', subject: id, data: { runId, expiresAt } });
}

/** Closes the entry of a run that was rolled back. */
export async function closeRolledBack(
  trx: Transaction,
  runId: string,
  { actor: by, at }: { readonly actor: string; readonly at: number },
): Promise<void> {
  const change = await changeOfRun(trx, runId);
  if (change !== undefined) await moveChange(trx, change.id, { state: 'rolled-back', by, why: null, at });
}

export async function openChanges(db: Transaction): Promise<readonly TemporaryChange[]> {
  const rows = await db
    .selectFrom('ledger')
    .selectAll()
    .where('state', 'in', OPEN_CHANGES)
    .orderBy('expiresAt')
    .orderBy('id')
    .execute();
  return rows.map(readChange);
}

export async function changeById(db: Transaction, id: string): Promise<TemporaryChange | undefined> {
  const row = await db.selectFrom('ledger').selectAll().where('id', '=', id).executeTakeFirst();
  return row && readChange(row);
}

export async function changeOfRun(db: Transaction, runId: string): Promise<TemporaryChange | undefined> {
  const row = await db.selectFrom('ledger').selectAll().where('runId', '=', runId).executeTakeFirst();
  return row && readChange(row);
}

function readChange({ body, ...row }: Selectable<Tables['ledger']>): TemporaryChange {
  return parseRow(TemporaryChange, { ...parseJson(ChangeDraft, body, 'change'), ...row }, 'change');
}

export async function claimCheck(
  trx: Transaction,
  { id, nextCheckAt }: Pick<TemporaryChange, 'id' | 'nextCheckAt'>,
  next: number,
): Promise<boolean> {
  const row = await trx
    .updateTable('ledger')
    .set({ nextCheckAt: next })
    .where('id', '=', id)
    .where('nextCheckAt', '=', nextCheckAt)
    .where('state', 'in', OPEN_CHANGES)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function noteCheck(
  trx: Transaction,
  id: string,
  { at, fault }: Parameters<LedgerStore['noteCheck']>[1],
): Promise<void> {
  const checked = fault === null ? { checkedAt: at } : {};
  await trx
    .updateTable('ledger')
    .set({ checkFault: fault, ...checked })
    .where('id', '=', id)
    .execute();
}

export async function moveChange(trx: Transaction, id: string, { state, by, why, at }: ChangeMove): Promise<boolean> {
  const before = await changeById(trx, id);
  if (before === undefined || !isOpenChange(before) || before.state === state) return false;
  await trx.updateTable('ledger').set({ state, stateBy: by, why, stateAt: at }).where('id', '=', id).execute();
  const { incidentId } = before;
  await addEvent(trx, { kind: 'change-moved', at, incidentId, actor: by ?? BOT, changeId: id, state, why });
  const data = { from: before.state, state, why };
  await addAudit(trx, { at, actor: by ?? BOT, action: 'change-moved', subject: id, data });
  return true;
}

export async function extendChange(
  trx: Transaction,
  id: string,
  { expiresAt, by, at }: Parameters<LedgerStore['extendChange']>[1],
): Promise<boolean> {
  const before = await changeById(trx, id);
  if (before === undefined || !isOpenChange(before)) return false;
  const nextCheckAt = Math.min(before.nextCheckAt, reminderAt({ ...before, expiresAt }));
  await trx.updateTable('ledger').set({ expiresAt, nextCheckAt }).where('id', '=', id).execute();
  const { incidentId } = before;
  await addEvent(trx, { kind: 'change-extended', at, incidentId, actor: by, changeId: id, expiresAt });
  const data = { from: before.expiresAt, to: expiresAt };
  await addAudit(trx, { at, actor: by, action: 'change-extended', subject: id, data });
  return true;
}
