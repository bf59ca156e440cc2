import type { ActStore } from '../../app/acting-ports.ts';
import { OomError } from '../../model/errors.ts';
import { type Run, type StepRecord, workloadOf } from '../../model/plan.ts';
import { Baseline } from '../../model/request-times.ts';
import { addAudit, addEvent, type Transaction } from '../database/journal.ts';
import { parseJson } from '../database/rows.ts';
import { closedByRun, closeIncident, reopenAfter } from '../incidents/lifecycle.ts';
import { readRun, readStep } from './acting-rows.ts';
import { isBusy } from './click.ts';
import { ACTIVE, answerOf, fateOf, isActive, isEnded, mayMove, mayRecord } from './run-rules.ts';

// The flow itself, where no person asked.
const BOT = 'oombot';

/** A run with its steps. */
export async function runOf(db: Transaction, id: string): Promise<Run | undefined> {
  const row = await db.selectFrom('run').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) return undefined;
  return readRun(row, await db.selectFrom('step').selectAll().where('runId', '=', id).orderBy('n').execute());
}

/** Runs of one incident, or those that are queued or under way, the oldest first. */
export async function listRuns(
  db: Transaction,
  which: { readonly incidentId: string } | 'open',
): Promise<readonly Run[]> {
  const all = db.selectFrom('run').select('id').orderBy('startedAt').orderBy('id');
  const rows = await (which === 'open'
    ? all.where('state', 'in', ACTIVE)
    : all.where('incidentId', '=', which.incidentId)
  ).execute();
  const runs: Run[] = [];
  for (const { id } of rows) {
    const run = await runOf(db, id);
    if (run !== undefined) runs.push(run);
  }
  return runs;
}

/** A run that must be there. */
async function needRun(trx: Transaction, id: string): Promise<Run> {
  const run = await runOf(trx, id);
  if (run !== undefined) return run;
  throw new OomError('not-found', `No run ${id}.`, { next: '`oom status` lists running changes.' });
}

/** Binds a run to one execution. The engine forgets its own key after a day; this does not. */
export async function claimRun(
  trx: Transaction,
  id: string,
  { executionId, at }: { readonly executionId: string; readonly at: number },
): Promise<'ok' | 'duplicate'> {
  const run = await needRun(trx, id);
  const row = await trx.selectFrom('run').select('executionId').where('id', '=', id).executeTakeFirstOrThrow();
  if (row.executionId === executionId) return 'ok';
  if (row.executionId !== null || !isActive(run)) return 'duplicate';
  await trx.updateTable('run').set({ executionId }).where('id', '=', id).execute();
  await addAudit(trx, { at, actor: BOT, action: 'run-claimed', subject: id, data: { executionId } });
  return 'ok';
}

/** Writes what happened to a step. The audit records each phase once, not of every poll of a wait. */
export async function saveStep(trx: Transaction, id: string, record: StepRecord, at: number): Promise<void> {
  const { incidentId } = await needRun(trx, id);
  const { n } = record;
  const row = await trx.selectFrom('step').selectAll().where('runId', '=', id).where('n', '=', n).executeTakeFirst();
  const before = row === undefined ? undefined : readStep(row);
  if (!mayRecord(before, record)) return;
  const next = { runId: id, ...record };
  await trx
    .insertInto('step')
    .values(next)
    .onConflict((conflict) => conflict.columns(['runId', 'n']).doUpdateSet(next))
    .execute();
  await trx.updateTable('run').set({ updatedAt: at }).where('id', '=', id).execute();
  if (before?.phase === record.phase) return;
  await addAudit(trx, { at, actor: BOT, action: 'step', subject: id, data: record });
  if (!isEnded(record)) return;
  const { phase: outcome } = record;
  await addEvent(trx, { kind: 'step-done', at, incidentId, actor: BOT, runId: id, step: n, outcome });
}

/** Writes the checks of a verification as they stand; journal and audit tell where the answer as a whole has changed. */
export async function saveChecks(trx: Transaction, id: string, checks: Run['checks'], at: number): Promise<void> {
  const run = await needRun(trx, id);
  await trx
    .updateTable('run')
    .set({ checks: JSON.stringify(checks), updatedAt: at })
    .where('id', '=', id)
    .execute();
  const answer = answerOf(checks);
  if (answer === undefined || answer === answerOf(run.checks)) return;
  await addEvent(trx, { kind: 'verified', at, incidentId: run.incidentId, actor: BOT, runId: id, answer });
  await addAudit(trx, { at, actor: BOT, action: 'verified', subject: id, data: { answer, checks } });
}

/** Moves a run forward; a step backward is ignored, so the first end counts. */
export async function setRunState(
  trx: Transaction,
  id: string,
  { state, outcome, actor, at, isVerified = false }: Parameters<ActStore['setRunState']>[1],
): Promise<void> {
  const run = await needRun(trx, id);
  if (!mayMove(run.state, state)) return;
  await trx.updateTable('run').set({ state, outcome, updatedAt: at }).where('id', '=', id).execute();
  const { incidentId } = run;
  await addEvent(trx, { kind: 'run-changed', at, incidentId, actor, runId: id, state, outcome });
  await addAudit(trx, { at, actor, action: 'run-changed', subject: id, data: { from: run.state, state, outcome } });
  if (isVerified) await closeIncident(trx, incidentId, { actor: BOT, why: closedByRun(id), at });
}

/**
 * Writes what a person wants from a run. `roll-back` of one that has ended takes it up again as `compensating`, bound to
 * no execution, so that a sweeper finds it among the open runs and the workload is taken meanwhile.
 */
export async function commandRun(
  trx: Transaction,
  id: string,
  { command, by, at }: Parameters<ActStore['commandRun']>[1],
): Promise<boolean> {
  const run = await needRun(trx, id);
  const fate = fateOf(run, command, !(await isBusy(trx, workloadOf(run.target))));
  if (fate === 'too-late' || fate === 'same') return fate === 'same';
  const reopened = fate === 'reopen' ? { state: 'compensating' as const, outcome: null, executionId: null } : {};
  await trx
    .updateTable('run')
    .set({ command, commandBy: by, updatedAt: at, ...reopened })
    .where('id', '=', id)
    .execute();
  const { incidentId } = run;
  if (fate === 'reopen') await reopenAfter(trx, id, { incidentId, actor: by, at });
  await addEvent(trx, { kind: 'run-commanded', at, incidentId, actor: by, runId: id, command });
  await addAudit(trx, { at, actor: by, action: 'run-commanded', subject: id, data: { command, was: run.state } });
  return true;
}

/** The audit row of a cluster write, written before it goes out. */
export async function recordWrite(
  trx: Transaction,
  id: string,
  { n, object, says, at }: Parameters<ActStore['recordWrite']>[1],
): Promise<void> {
  await needRun(trx, id);
  await addAudit(trx, { at, actor: BOT, action: 'write', subject: id, data: { n, object, says } });
}

/** Keeps what a run is measured against; one that stands is left as it is. */
export async function saveBaseline(trx: Transaction, runId: string, baseline: Baseline, at: number): Promise<void> {
  await needRun(trx, runId);
  if ((await baselineOf(trx, runId)) !== undefined) return;
  await trx
    .insertInto('baseline')
    .values({ runId, at, body: JSON.stringify(baseline) })
    .execute();
  await addAudit(trx, { at, actor: 'oombot', action: 'baseline', subject: runId, data: baseline });
}

/** What a run is measured against, once it was read. */
export async function baselineOf(db: Transaction, runId: string): Promise<Baseline | undefined> {
  const row = await db.selectFrom('baseline').select('body').where('runId', '=', runId).executeTakeFirst();
  return row && parseJson(Baseline, row.body, 'baseline');
}
