import type { Click, ClickOutcome, Doubt } from '../../app/acting-ports.ts';
import type { UnsentMessage } from '../../app/outbox-ports.ts';
import type { Ids } from '../../app/ports.ts';
import { type Plan, type Run, workloadOf } from '../../model/plan.ts';
import type { Access } from '../database/access.ts';
import { addAudit, addEvent, type Transaction } from '../database/journal.ts';
import { queueMessage } from '../incidents/messages.ts';
import { readPlan, writeRun } from './acting-rows.ts';
import { isPaused } from './pauses.ts';
import { endPlan } from './plans.ts';
import { ACTIVE, queuedRun } from './run-rules.ts';

type Tools = { readonly ids: Ids; readonly now: Access['now']; readonly holder: string };
type Told = { readonly click: Click; readonly notices: readonly UnsentMessage[] };

/** Takes a click in the caller's transaction: lock the plan, check, count, and where enough have said yes make the run. */
export async function takeClick(trx: Transaction, tools: Tools, { click, notices }: Told): Promise<ClickOutcome> {
  const outcome = await decide(trx, tools, click);
  const isDecided = outcome.kind === 'run' || outcome.kind === 'rejected';
  for (const notice of isDecided ? notices : []) await queueMessage(trx, notice, { once: true, holder: tools.holder });
  return outcome;
}

async function decide(trx: Transaction, { ids, now }: Tools, click: Click): Promise<ClickOutcome> {
  const plan = await lockPlan(trx, click.planId);
  if (plan === undefined) return refuse(trx, click, 'no-such-plan');
  const workload = workloadOf(plan.target);
  const why = refusalOf(plan, click, {
    // A process that was frozen meanwhile clicks late.
    at: Math.max(click.at, await now(trx)),
    paused: await isPaused(trx),
    busy: await isBusy(trx, workload),
  });
  if (why === 'expired' && plan.state === 'proposed') {
    const { who: actor, at } = click;
    await endPlan(trx, { planId: plan.id, incidentId: plan.incidentId, state: 'expired', actor, at });
  }
  if (why !== undefined) return refuse(trx, click, why);
  if (await hangsOnUnknown(trx, plan, click)) return refuse(trx, click, 'approver-unknown');
  if (!(await addApproval(trx, click))) return refuse(trx, click, 'already-counted');
  await tellApproval(trx, plan, click);
  if (click.decision === 'reject') return reject(trx, plan);
  await dropLapsed(trx, plan, click);
  return count(trx, { ids, plan, click });
}

// An update comes first, since it locks the row: two that had only counted would each see themselves alone.
async function lockPlan(trx: Transaction, id: string): Promise<Plan | undefined> {
  const row = await trx
    .updateTable('plan')
    .set(({ eb }) => ({ version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? undefined : readPlan(row);
}

/** Whether a run is under way on the workload. */
export async function isBusy(trx: Transaction, workload: string): Promise<boolean> {
  const row = await trx
    .selectFrom('run')
    .select('id')
    .where('workload', '=', workload)
    .where('state', 'in', ACTIVE)
    .executeTakeFirst();
  return row !== undefined;
}

// A second yes of the same person is none. A no, and a yes that breaks the glass, take the place of what they said before.
async function addApproval(trx: Transaction, click: Click): Promise<boolean> {
  const { planId, who, decision, hash, breakGlass, at } = click;
  const said = { decision, hash, breakGlass, at };
  const insert = trx.insertInto('approval').values({ planId, who, ...said });
  const changes = decision === 'reject' || breakGlass !== null;
  const row = await insert
    .onConflict((conflict) =>
      changes ? conflict.columns(['planId', 'who']).doUpdateSet(said) : conflict.columns(['planId', 'who']).doNothing(),
    )
    .returning('who')
    .executeTakeFirst();
  return row !== undefined;
}

// Such a click is not kept either: who has clicked can click again once it can be told.
async function hangsOnUnknown(trx: Transaction, plan: Plan, click: Click): Promise<boolean> {
  const { decision, breakGlass, doubts = [] } = click;
  if (decision === 'reject' || breakGlass !== null || !doubts.some(({ kind }) => kind === 'unknown')) return false;
  const others = (await yesOf(trx, plan)).filter((who) => who !== click.who);
  const without = (...kinds: readonly Doubt['kind'][]) =>
    others.filter((who) => !doubts.some((doubt) => doubt.who === who && kinds.includes(doubt.kind))).length;
  return without('lapsed') + 1 >= plan.approvals && without('lapsed', 'unknown') + 1 < plan.approvals;
}

async function dropLapsed(trx: Transaction, { id, incidentId }: Plan, { doubts = [], at }: Click): Promise<void> {
  for (const { who: actor, why } of doubts.filter(({ kind }) => kind === 'lapsed')) {
    const gone = await trx
      .deleteFrom('approval')
      .where('planId', '=', id)
      .where('who', '=', actor)
      .where('decision', '=', 'approve')
      .returning('who')
      .executeTakeFirst();
    if (gone === undefined) continue;
    await addEvent(trx, { kind: 'approval-lapsed', at, incidentId, actor, planId: id, why });
    await addAudit(trx, { at, actor, action: 'approval-lapsed', subject: id, data: { why } });
  }
}

/** Who has said yes to the plan as it is. */
async function yesOf(trx: Transaction, plan: Plan): Promise<readonly string[]> {
  const rows = await trx
    .selectFrom('approval')
    .select('who')
    .where('planId', '=', plan.id)
    .where('decision', '=', 'approve')
    .where('hash', '=', plan.hash)
    .execute();
  return rows.map(({ who }) => who);
}

async function tellApproval(trx: Transaction, { id, incidentId }: Plan, click: Click): Promise<void> {
  const { who: actor, decision, hash, breakGlass, at, reason = null } = click;
  const why = { ...(breakGlass === null ? {} : { breakGlass }), ...(reason === null ? {} : { reason }) };
  await addEvent(trx, { kind: 'approval-given', at, incidentId, actor, planId: id, decision, ...why });
  await addAudit(trx, { at, actor, action: 'approval-given', subject: id, data: { decision, hash, ...why } });
}

async function reject(trx: Transaction, plan: Plan): Promise<ClickOutcome> {
  await trx.updateTable('plan').set({ state: 'rejected' }).where('id', '=', plan.id).execute();
  return { kind: 'rejected' };
}

type Counting = { readonly ids: Ids; readonly plan: Plan; readonly click: Click };

async function count(trx: Transaction, { ids, plan, click }: Counting): Promise<ClickOutcome> {
  const have = (await yesOf(trx, plan)).length;
  if (click.breakGlass === null && have < plan.approvals) return { kind: 'counted', have, need: plan.approvals };
  return { kind: 'run', run: await queueRun(trx, queuedRun(ids.next('run'), plan, click)) };
}

async function queueRun(trx: Transaction, run: Run): Promise<Run> {
  const { id, planId, incidentId, startedBy: actor, startedAt: at } = run;
  await trx.insertInto('run').values(writeRun(run)).execute();
  await trx
    .insertInto('step')
    .values(run.steps.map((step) => ({ runId: id, ...step })))
    .execute();
  await trx.updateTable('plan').set({ state: 'used' }).where('id', '=', planId).execute();
  await addEvent(trx, { kind: 'run-queued', at, incidentId, actor, runId: id, planId });
  const data = { planId, workload: workloadOf(run.target) };
  await addAudit(trx, { at, actor, action: 'run-queued', subject: id, data });
  return run;
}

async function refuse(trx: Transaction, click: Click, why: RefusalWhy): Promise<ClickOutcome> {
  const { who: actor, planId: subject, decision, hash, at, doubts = [] } = click;
  const unknown = doubts.filter(({ kind }) => kind === 'unknown').map(({ who, why: says }) => ({ who, says }));
  const of = why === 'approver-unknown' ? { unknown } : {};
  await addAudit(trx, { at, actor, action: 'click-refused', subject, data: { why, decision, hash, ...of } });
  return { kind: 'refused', why };
}

type RefusalWhy = Extract<ClickOutcome, { kind: 'refused' }>['why'];

const ENDED: Readonly<Record<Exclude<Plan['state'], 'proposed'>, RefusalWhy>> = {
  used: 'already-used',
  rejected: 'already-rejected',
  expired: 'expired',
  replaced: 'replaced',
};

/**
 * Why a click is refused, or undefined where it counts. A rejection takes nothing but an open plan. Breaking the glass
 * lifts the bar on the requester, who may be the only one awake, but no pause, and it never makes a workload free.
 */
function refusalOf(
  plan: Plan,
  click: Click,
  now: { readonly at: number; readonly paused: boolean; readonly busy: boolean },
): RefusalWhy | undefined {
  if (plan.state !== 'proposed') return ENDED[plan.state];
  if (click.hash !== plan.hash) return 'changed';
  if (now.at >= plan.expiresAt) return 'expired';
  if (click.decision === 'reject') return undefined;
  if (click.barRequester && click.breakGlass === null && click.who === plan.proposedBy) return 'own-plan';
  if (now.paused) return 'paused';
  return now.busy ? 'busy' : undefined;
}
