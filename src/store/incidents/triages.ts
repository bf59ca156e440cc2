import type { Store } from '../../app/ports.ts';
import { OomError } from '../../model/errors.ts';
import type { MessageRef } from '../../model/incident.ts';
import { RETRIED, type TriageRun } from '../../model/incident.ts';
import { addAudit, type Transaction } from '../database/journal.ts';
import { readTriage, writeTriage } from '../database/rows.ts';
import { releaseRequest } from './requests.ts';

/** Written before any work starts; from here on it stands for the request. False where another process has taken that over. */
export async function startTriage(
  trx: Transaction,
  run: TriageRun,
  { request, holder }: { readonly request?: string | undefined; readonly holder: string },
): Promise<boolean> {
  if (request !== undefined && !(await releaseRequest(trx, request, holder))) return false;
  await trx
    .insertInto('triage')
    .values({ ...writeTriage(run), holder })
    .execute();
  await addAudit(trx, {
    at: run.startedAt,
    actor: run.asker,
    action: 'triage-started',
    subject: run.id,
    data: { query: run.query, cluster: run.cluster, conversation: run.conversation },
  });
  return true;
}

/** Whether this process still has it. One whose start could not be stored is with nobody else either. */
export async function holdsTriage(db: Transaction, id: string, holder: string): Promise<boolean> {
  const row = await db.selectFrom('triage').select('holder').where('id', '=', id).executeTakeFirst();
  return row === undefined || row.holder === holder;
}

/** It is carried out once more: what was shown of it says so, and is not its message any longer. */
export async function retryTriage(trx: Transaction, id: string, at: number): Promise<void> {
  const { asker } = await triageOf(trx, id);
  await trx.updateTable('triage').set({ outcome: RETRIED, ts: null }).where('id', '=', id).execute();
  await addAudit(trx, { at, actor: asker, action: 'triage-retried', subject: id, data: {} });
}

type Placing = { readonly ref: MessageRef; readonly at: number; readonly holder: string };

/** Where the card of a triage stands. `at` epoch ms. One that was taken over has another card. */
export async function placeTriage(trx: Transaction, id: string, { ref, at, holder }: Placing): Promise<void> {
  const { asker } = await triageOf(trx, id);
  if (!(await holdsTriage(trx, id, holder))) return;
  await trx.updateTable('triage').set({ conversation: ref.conversation, ts: ref.ts }).where('id', '=', id).execute();
  await addAudit(trx, { at, actor: asker, action: 'triage-placed', subject: id, data: { ...ref } });
}

type Ending = Parameters<Store['endTriage']>[1] & { readonly holder: string };

/** The first end counts; a triage that has ended stays as it is, and so does one that was taken over. */
export async function endTriage(trx: Transaction, id: string, { holder, ...end }: Ending): Promise<void> {
  const { asker, state } = await triageOf(trx, id);
  if (state !== 'running' || !(await holdsTriage(trx, id, holder))) return;
  await trx
    .updateTable('triage')
    .set({ state: end.state, outcome: end.outcome, incidentId: end.incidentId, endedAt: end.at })
    .where('id', '=', id)
    .execute();
  await addAudit(trx, {
    at: end.at,
    actor: asker,
    action: 'triage-ended',
    subject: id,
    data: { state: end.state, outcome: end.outcome, incidentId: end.incidentId },
  });
}

async function triageOf(trx: Transaction, id: string): Promise<TriageRun> {
  const row = await trx.selectFrom('triage').selectAll().where('id', '=', id).executeTakeFirst();
  if (row !== undefined) return readTriage(row);
  throw new OomError('not-found', `No triage ${id}.`, { next: 'Start a new one.' });
}

/** Triages that were cut off, the oldest first. */
export async function unfinishedTriages(db: Transaction): Promise<readonly TriageRun[]> {
  const rows = await db
    .selectFrom('triage')
    .selectAll()
    .where('state', '=', 'running')
    .orderBy('startedAt')
    .orderBy('id')
    .execute();
  return rows.map(readTriage);
}
