import type { ActStore, PlanRequested } from '../../app/acting-ports.ts';
import type { Plan } from '../../model/plan.ts';
import { addAudit, addEvent, type Transaction } from '../database/journal.ts';
import { noIncident } from '../incidents/lifecycle.ts';
import { queueMessage } from '../incidents/messages.ts';
import { keepsRequest, releaseRequest } from '../incidents/requests.ts';
import { readPlan, writePlan } from './acting-rows.ts';

/** Writes a new plan and its card; an open one of the same incident and action gives way to it. Returns the ids of those. */
export async function savePlan(
  trx: Transaction,
  plan: Plan,
  { request, card, holder }: PlanRequested & { readonly holder: string },
): ReturnType<ActStore['savePlan']> {
  if (request !== undefined && !(await keepsRequest(trx, request, holder))) return undefined;
  const { id, incidentId, hash, action, proposedBy: actor, proposedAt: at } = plan;
  const incident = await trx.selectFrom('incident').select('id').where('id', '=', incidentId).executeTakeFirst();
  if (incident === undefined) throw noIncident(incidentId);
  const older = await trx
    .selectFrom('plan')
    .select('id')
    .where('incidentId', '=', incidentId)
    .where('action', '=', action)
    .where('state', '=', 'proposed')
    .execute();
  for (const { id: planId } of older) await endPlan(trx, { planId, incidentId, state: 'replaced', actor, at });
  await trx.insertInto('plan').values(writePlan(plan)).execute();
  await addEvent(trx, { kind: 'plan-made', at, incidentId, actor, planId: id, hash });
  const replaced = older.map((row) => row.id);
  const data = { incidentId, action, hash, approvals: plan.approvals, expiresAt: plan.expiresAt, replaced };
  await addAudit(trx, { at, actor, action: 'plan-made', subject: id, data });
  if (card === undefined) return replaced;
  await queueMessage(trx, card, { holder });
  // From here on the card stands for the request.
  if (request !== undefined) await releaseRequest(trx, request, holder);
  return replaced;
}

type Ending = {
  readonly planId: string;
  readonly incidentId: string;
  readonly state: 'expired' | 'replaced';
  readonly actor: string;
  readonly at: number;
};

/** Takes an open plan out of use, other than by a click that counts. */
export async function endPlan(trx: Transaction, { planId, incidentId, state, actor, at }: Ending): Promise<void> {
  await trx.updateTable('plan').set({ state }).where('id', '=', planId).execute();
  await addEvent(trx, { kind: 'plan-ended', at, incidentId, actor, planId, state });
  await addAudit(trx, { at, actor, action: 'plan-ended', subject: planId, data: { state } });
}

export async function planOf(db: Transaction, id: string): Promise<Plan | undefined> {
  const row = await db.selectFrom('plan').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : readPlan(row);
}

/** The plans of an incident, the oldest first. */
export async function plansOf(db: Transaction, incidentId: string): Promise<readonly Plan[]> {
  const rows = await db
    .selectFrom('plan')
    .selectAll()
    .where('incidentId', '=', incidentId)
    .orderBy('proposedAt')
    .orderBy('id')
    .execute();
  return rows.map(readPlan);
}

// No plan is open for longer than the configuration allows: a day.
const LONGEST_MS = 24 * 60 * 60_000;

/** Plans that can still be approved, the oldest first. */
export async function openPlans(db: Transaction, at: number): Promise<readonly Plan[]> {
  const rows = await db
    .selectFrom('plan')
    .selectAll()
    .where('state', '=', 'proposed')
    .where('proposedAt', '>=', at - LONGEST_MS)
    .orderBy('proposedAt')
    .orderBy('id')
    .execute();
  return rows.map(readPlan).filter(({ expiresAt }) => expiresAt > at);
}

/** Who has said what of a plan, the first first. */
export async function approvalsOf(db: Transaction, planId: string): ReturnType<ActStore['approvals']> {
  return db
    .selectFrom('approval')
    .select(['who', 'decision', 'at'])
    .where('planId', '=', planId)
    .orderBy('at')
    .orderBy('who')
    .execute();
}
