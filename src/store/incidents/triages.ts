import type { Store } from '../../app/ports.ts';
import { OomError } from '../../model/errors.ts';
import type { MessageRef } from '../../model/incident.ts';
import { RETRIED, type TriageRun } from '../../model/incident.ts';
import { addAudit, type Transaction } from '../database/journal.ts';
import { readTriage, writeTriage } from '../database/rows.ts';
import { releaseRequest } from './requests.ts';

/** Written before any work starts; from here on it stands for the request. */
export async function startTriage(
  trx: Transaction,
  run: TriageRun,
  { request, holder }: { readonly request?: string | undefined; readonly holder: string },
): Promise<void> {
  if (request !== undefined) await releaseRequest(trx, request);
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
}

/** It is carried out once more: what was shown of it says so, and is not its message any longer. */
export async function retryTriage(trx: Transaction, id: string, at: number): Promise<void> {
  const { asker } = await triageOf(trx, id);
  await trx.updateTable('triage').set({ outcome: RETRIED, ts: null }).where('id', '=', id).execute();
  await addAudit(trx, { at, actor: asker, action: 'triage-retried', subject: id, data: {} });
}

/** Where the card of a triage stands. `at` epoch ms. */
export async function placeTriage(trx: Transaction, id: string, ref: MessageRef, at: number): Promise<void> {
  const { asker } = await triageOf(trx, id);
  await trx.updateTable('triage').set({ conversation: ref.conversation, ts: ref.ts }).where('id', '=', id).execute();
  await addAudit(trx, { at, actor: asker, action: 'triage-placed', subject: id, data: { ...ref } });
}

/** The first end counts; a triage that has ended stays as it is. */
export async function endTriage(trx: Transaction, id: string, end: Parameters<Store['endTriage']>[1]): Promise<void> {
  const { asker, state } = await triageOf(trx, id);
  if (state !== 'running') return;
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
