import { changesBack } from '../../../actions/run/rollback.ts';
import { backoffMs } from '../../../model/backoff.ts';
import { valueAt } from '../../../model/json-patch.ts';
import type { Plan, Run, StepRecord } from '../../../model/plan.ts';
import { isHalfway, isUnverified, isVerified } from '../../../model/plan.ts';
import type { Baseline } from '../../../model/request-times.ts';
import { checkName } from '../../../report/words/check-words.ts';
import type { ActAnswer, Ahead, Back } from '../act-answers.ts';
import type { Work } from '../acts/act-work.ts';
import { heldByPause, noteStep, ok, recordOf, stopWanted } from '../acts/act-work.ts';
import { NO_TIMES, orLate } from '../acts/late-answers.ts';
import { removeMarks } from '../acts/remove-marks.ts';
import { readyOf } from '../acts/wait-acts.ts';
import { ledgerEffect } from './ledger-effect.ts';

/** Binds the run to this execution for good. */
export async function claim({ deps, run, input, executionId }: Work): Promise<ActAnswer> {
  // The workflow engine forgets its keys after a day: a second execution must not go forward if a person wants a rollback.
  if ((input.from === 'roll-back') !== (run.state === 'compensating')) return { kind: 'duplicate' };
  const at = deps.clock.now();
  if ((await deps.store.claimRun(run.id, executionId, at)) === 'duplicate') return { kind: 'duplicate' };
  await deps.store.setRunState(run.id, { state: 'running', outcome: null, actor: 'oombot', at });
  deps.progress(run.id);
  return ok();
}

/** Before the first write: what was seen is stored, nobody has thought better of it, and acting is not paused. */
export async function checkStart(work: Work): Promise<ActAnswer> {
  const { deps, run } = work;
  const stop = stopWanted(work);
  if (stop !== undefined) return stop;
  if (!(await deps.hasEvidence(run.incidentId))) {
    const says = 'the evidence of the incident is not stored, and the change would delete the logs';
    return { kind: 'stop', why: 'not-started', says };
  }
  await keepBaseline(work);
  return (await heldByPause(work)) ?? ok();
}

/** From here on the run rolls back. */
export async function compensate({ deps, run, input }: Work): Promise<ActAnswer> {
  const outcome = input.ahead === undefined ? null : `Why: ${lower(reasonOf(input.ahead, run))}.`;
  const actor = actorOf(run, input.ahead?.why);
  await deps.store.setRunState(run.id, { state: 'compensating', outcome, actor, at: deps.clock.now() });
  deps.progress(run.id);
  return ok();
}

const FIRST_AGAIN_MS = 5000;
const LONGEST_AGAIN_MS = 300_000;

/** Ends the run and has the result posted. A store that is away is retried; the run itself is done. */
export async function report(work: Work): Promise<ActAnswer> {
  const { deps, input } = work;
  const ahead = input.ahead ?? { why: 'failed', says: 'no reason recorded', reached: 0 };
  const back = input.back ?? null;
  await endSteps(work);
  const state = endState(work.run, ahead, back);
  const actor = actorOf(work.run, ahead.why);
  if (state === 'rolled-back') await removeMarks(work);
  const outcome = describeEnd(work, ahead, back);
  const ledger = await ledgerEffect(work, state);
  await deps.store.setRunState(work.run.id, {
    state,
    outcome: isHalfway({ ...work.run, state }, work.plan) ? `${outcome} ${await whereNow(work)}` : outcome,
    actor,
    at: deps.clock.now(),
    isVerified: isVerified({ ...work.run, state }, work.plan),
    ...(ledger && { ledger }),
  });
  deps.progress(work.run.id);
  try {
    await deps.report(work.run.id);
    // It diagnoses the incident again, which may take longer than an act has.
    void deps.afterRun?.(work.run.incidentId);
    return ok();
  } catch (error) {
    deps.log.warn('run report not stored', { run: work.run.id, error });
    const inMs = backoffMs(input.i, FIRST_AGAIN_MS, LONGEST_AGAIN_MS);
    return { kind: 'wait', inMs, says: 'waiting for the store to accept the report' };
  }
}

/** Posts the handover of a run that has changed something. Later tries read the workload again. */
export async function handOver({ deps, run, context }: Work): Promise<ActAnswer> {
  const hasActed = run.steps.some(({ phase }) => phase === 'done' || phase === 'undone' || phase === 'failed');
  if (deps.handOver === undefined || !hasActed) return ok();
  try {
    await deps.handOver(run, context.signal);
    return ok();
  } catch (error) {
    deps.log.warn('handover of a run not stored', { run: run.id, error });
    return { kind: 'wait', inMs: FIRST_AGAIN_MS, says: 'waiting for the store' };
  }
}

async function endSteps(work: Work): Promise<void> {
  for (const record of work.run.steps) {
    const isUntried = record.phase === 'running' && record.attempts === 0;
    if (record.phase === 'pending' || isUntried)
      await noteStep(work, record, { phase: 'not-run', message: 'not started' });
    else if (record.phase === 'running') await noteStep(work, record, { phase: 'failed', message: record.message });
  }
}

function actorOf(run: Run, why: Ahead['why'] | undefined): string {
  const asked = why === 'abort' || why === 'abandon' || why === 'roll-back';
  return asked ? (run.commandBy ?? 'oombot') : 'oombot';
}

/** The state that a run ends in. */
function endState({ steps }: Run, { why, reached }: Ahead, back: Back): Run['state'] {
  if (back?.kind === 'stuck') return 'failed';
  if (back !== null) return steps.some(({ phase }) => phase === 'undone') ? 'rolled-back' : 'aborted';
  if (why === 'done') return 'done';
  if (why === 'abandon' || why === 'not-started' || reached === 0) return 'aborted';
  return why === 'abort' ? 'aborted' : 'failed';
}

const WHY: Readonly<Record<Ahead['why'], string>> = {
  done: 'All steps done',
  abort: 'Aborted',
  abandon: 'Stopped without rollback',
  'roll-back': 'Rollback',
  conflict: 'Stopped at a change by someone else',
  reverted: 'Reverted by someone else',
  timeout: 'Timed out',
  failed: 'A step failed',
  bad: 'Check failed',
  'not-started': 'Not started',
};

function reasonOf({ why, says }: Ahead, { commandBy }: Pick<Run, 'commandBy'>): string {
  if (why === 'roll-back' && says === '' && commandBy !== null) return `Requested by ${commandBy}`;
  return says === '' ? WHY[why] : `${WHY[why]}: ${says}`;
}

/** One sentence on how it ended, with both values where someone else was there. */
function describeEnd(
  { run, plan }: { readonly run: Run; readonly plan: Pick<Plan, 'steps'> },
  ahead: Ahead,
  back: Back,
): string {
  const doubts = run.checks.filter(({ answer }) => answer === 'could-not-tell').map(({ check }) => check);
  const lacks = doubts.length === 0 ? '' : ` No data: ${doubts.map(checkName).join(', ')}.`;
  if (back === null && ahead.why === 'done' && isUnverified(run.checks, plan)) {
    return `Applied, not verified.${lacks}${ahead.says === '' ? '' : ` ${ahead.says}.`}`;
  }
  if (back === null) return `${reasonOf(ahead, run)}.${ahead.why === 'done' ? lacks : ''}`;
  const why = `Why: ${lower(reasonOf(ahead, run))}.`;
  if (back.kind === 'stuck') return `Rollback stopped: ${back.says}. ${why}`;
  if (back.kind === 'late') return `The old settings are restored, but ${back.says}. ${why}`;
  const isUndone = run.steps.some(({ phase }) => phase === 'undone');
  return isUndone
    ? `${takenWords(run, plan)}; ${back.says}. ${why}`
    : `${reasonOf(ahead, run)}. ${takenWords(run, plan)}.`;
}

function lower(text: string): string {
  return `${text[0]?.toLowerCase() ?? ''}${text.slice(1)}`;
}

/** Where the workload is, of a run that stopped half way: in one sentence. */
async function whereNow({ run, plan, cluster, context }: Work): Promise<string> {
  const [read, pods] = await Promise.all([
    cluster.read(plan.target.object, context),
    cluster.pods(plan.target, context),
  ]);
  const done = plan.steps.filter(({ n }) => recordOf({ run }, n).phase === 'done').length;
  const wanted = read.kind === 'found' ? valueAt(read.object, '/spec/replicas') : undefined;
  const count = typeof wanted === 'number' ? `, replicas ${wanted} (${plan.serving.total} before)` : '';
  const ready = pods.kind === 'read' ? `, ${readyOf(pods.pods)} ready` : '';
  return `Now: ${done} of ${plan.steps.length} steps done${count}${ready}.`;
}

function takenWords(run: Run, { steps }: Pick<Plan, 'steps'>): string {
  const isIn = (n: number, phase: StepRecord['phase']): boolean => recordOf({ run }, n).phase === phase;
  const hasRestarted = steps.some((step) => step.kind === 'write' && !changesBack(step) && isIn(step.n, 'done'));
  if (run.steps.some(({ phase }) => phase === 'undone')) {
    return hasRestarted ? 'All changes are rolled back, except the restart' : 'All changes are rolled back';
  }
  return hasRestarted ? 'A restart cannot be rolled back' : 'Nothing was changed';
}

/**
 * Reads what the run will be measured against and keeps it, once. The pods with metrics of the hour before may be gone
 * after the first write, and the bot may be another one by then. Metrics that hang hold no run up.
 */
async function keepBaseline({ deps, run, plan, cluster, context }: Work): Promise<void> {
  if ((await deps.store.baseline(run.id)) !== undefined) return;
  const [read, incident] = await Promise.all([cluster.pods(plan.target, context), deps.store.incident(run.incidentId)]);
  if (incident === undefined) return;
  const pods = read.kind === 'read' ? read.pods : [];
  const { signal } = context;
  const at = { from: incident.openedAt, to: incident.openedAt };
  const late: Baseline = { ...at, times: NO_TIMES };
  const baseline = await orLate(signal, deps.eyes.lookBack({ target: plan.target, pods, incident, signal }), late);
  await deps.store.saveBaseline(run.id, baseline, deps.clock.now());
}
