import { PROFILE_NAMES } from '../../../budget/profiles.ts';
import type { Message } from '../../../model/message.ts';
import type { Plan } from '../../../model/plan.ts';
import { actRefused, planEnded, planRefused } from '../../../report/acting-words.ts';
import { planThread } from '../../../report/plan-card.ts';
import { planTitle } from '../../../report/words/plan-words.ts';
import type { ActStore } from '../../acting-ports.ts';
import { answerAsker } from '../../answer-asker.ts';
import { isOombotId, wrongKindOfId } from '../../id-kinds.ts';
import { isAllowed } from '../../lifecycle/find-incident.ts';
import { incidentsNamed, listIncidents, noneNamed } from '../../lifecycle/named-incidents.ts';
import type { Outbox } from '../../outbox.ts';
import type { UnsentMessage } from '../../outbox-ports.ts';
import type { IncidentPlace, Store } from '../../ports.ts';
import type { EditedValue, EditForm } from '../plan/edit-form.ts';
import { type MakePlanDeps, makePlan } from '../plan/make-plan.ts';
import { type PlanRequest, parsePlanRequest } from '../plan/plan-request.ts';
import { drawEnded } from '../run/ended-plan.ts';
import { drawOpenPlan, redraw, sendDetails } from '../run/run-view.ts';
import { type ActRequest, audit, may, type PermitDeps, refuse, targetOf } from './permit.ts';

export type ProposeDeps = Omit<PermitDeps, 'acts'> & {
  readonly acts: ActStore;
  readonly plans: MakePlanDeps;
  readonly store: Pick<Store, 'incident' | 'messages' | 'openPlaces'>;
  readonly outbox: Outbox;
};

/** `plan <incident> …`: makes a plan and shows it where it was asked for. */
export async function propose(deps: ProposeDeps, rest: string, request: ActRequest): Promise<void> {
  const parsed = parsePlanRequest(rest);
  if (parsed.kind === 'wrong')
    return answerAsker(deps, request.asker, planRefused('Unknown action or value.', parsed.says, null));
  const { incidentId } = parsed.request;
  if (isOombotId(incidentId)) return show(deps, parsed.request, request);
  // A name reveals nothing that its asker may not read.
  const asked = { actor: request.actor, verb: 'explain' } as const;
  const open = (await deps.store.openPlaces()).filter((place) => isAllowed(deps, asked, place));
  const named = incidentsNamed(incidentId, open);
  const [only, ...others] = named;
  if (only !== undefined && others.length === 0) return show(deps, { ...parsed.request, incidentId: only.id }, request);
  return answerAsker(deps, request.asker, notNamed(incidentId.slice(0, 60), named));
}

function notNamed(word: string, named: readonly IncidentPlace[]): Message {
  if (named.length === 0) {
    const { says, next } = noneNamed(word);
    return actRefused(says, next);
  }
  const next = `Type \`plan <incident>\` with one of ${listIncidents(named)}.`;
  return actRefused(`Which incident? ${named.length} are open for ${word}.`, next);
}

/** The values of a plan as a form; undefined where the answer was a refusal, which has been told. */
export async function openForm(deps: ProposeDeps, rest: string, request: ActRequest): Promise<EditForm | undefined> {
  const [planId = ''] = rest.trim().split(/\s+/);
  const plan = await editable(deps, planId, request);
  if (plan === undefined) return undefined;
  await deps.outbox.adopt(plan.incidentId, `plan/${plan.id}`, request.clicked);
  if (plan.edits.length === 0) {
    const next = 'Reject it, then type `plan <incident> set-args --flag=value`.';
    await answerAsker(deps, request.asker, actRefused('This plan has no values to edit.', next));
    return undefined;
  }
  const bounds = new Map(plan.bounds.map((bound) => [bound.flag, bound]));
  const fields = plan.edits.map(({ flag, from, to, why }) => ({
    flag,
    from,
    to,
    why,
    min: bounds.get(flag)?.min ?? null,
    max: bounds.get(flag)?.max ?? null,
  }));
  return { planId: plan.id, name: planTitle(plan), fields };
}

/** A new plan with other values, in the place of the one that was edited. */
export async function proposeEdited(
  deps: ProposeDeps,
  edited: { readonly planId: string; readonly values: readonly EditedValue[] },
  request: ActRequest,
): Promise<void> {
  const plan = await editable(deps, edited.planId, request);
  if (plan === undefined) return;
  const { incidentId, action, confirm } = plan;
  const wanted = {
    incidentId,
    action,
    values: edited.values,
    replicas: plan.replicas ?? undefined,
    toZero: confirm !== null,
    isEdit: true,
    profile: PROFILE_NAMES.find((name) => name === plan.profile),
  };
  return show(deps, wanted, request);
}

const ENDED: Readonly<Record<Exclude<Plan['state'], 'proposed'>, string>> = {
  used: 'already-used',
  rejected: 'already-rejected',
  expired: 'expired',
  replaced: 'replaced',
};

async function editable(deps: ProposeDeps, planId: string, request: ActRequest): Promise<Plan | undefined> {
  const plan = await deps.acts.plan(planId);
  const no = (why: string) => refuse(deps, request, { verb: 'edit', subject: planId, why });
  if (plan === undefined) {
    await no('no-such-plan');
    return undefined;
  }
  if (!(await may(deps, request, 'plan', targetOf(plan)))) return undefined;
  // An expired plan may be edited: what comes of it is a new one.
  if (plan.state === 'proposed' || plan.state === 'expired') return plan;
  await no(ENDED[plan.state]);
  return undefined;
}

async function show(deps: ProposeDeps, wanted: PlanRequest, request: ActRequest): Promise<void> {
  const incident = await deps.store.incident(wanted.incidentId);
  if (incident === undefined) return unknownIncident(deps, wanted.incidentId, request);
  if (!(await may(deps, request, 'plan', { ...incident, action: wanted.action }))) return;
  // The button of a run carries an action as well; that of the card carries none.
  if (request.clicked !== undefined && wanted.action === undefined) {
    await deps.outbox.adopt(incident.id, 'card', request.clicked);
  }
  const made = await makePlan(deps.plans, incident, wanted, request.asker.user);
  if (made.kind === 'refused') {
    await audit(deps, request, { verb: 'plan', subject: incident.id, why: made.says });
    return answerAsker(deps, request.asker, planRefused(made.says, made.next, made.paste));
  }
  const { plan } = made;
  // Who names no action gets the one of the finding.
  if (wanted.action === undefined && !(await may(deps, request, 'plan', targetOf(plan)))) return;
  const card = await cardOf(deps, request, plan);
  const replaced = await deps.acts.savePlan(plan, { request: request.asker.kept, card });
  if (replaced === undefined)
    return deps.log.info('plan dropped: another replica has taken the request over', { plan: plan.id });
  const end = (id: string) => redraw(deps, { ...plan, id }, planEnded('replaced', id));
  for (const old of replaced) await end(old);
  const isPosted = await place(deps, request, plan, card);
  // By its time, or by a plan that was made meanwhile, which could not know this card.
  const ended = await endOf(deps, plan);
  if (ended !== undefined) await redraw(deps, plan, ended);
  else if (isPosted) await sendDetails(deps, plan);
}

// In the thread of the incident's card where that stands in this channel, else as a message of its own. What was asked in
// the Home tab goes below the finding. Undefined where it is shown to the asker alone.
async function cardOf(
  { store, outbox, ...drawn }: ProposeDeps,
  { asker, atTerminal = false }: ActRequest,
  plan: Plan,
): Promise<UnsentMessage | undefined> {
  const { id, incidentId } = plan;
  const cards = await store.messages(incidentId, 'card');
  const conversation = asker.conversation || (cards.at(-1)?.conversation ?? '');
  if (atTerminal || conversation === '') return undefined;
  const thread = cards.find((card) => card.conversation === conversation);
  return outbox.prepare({ incidentId, kind: `plan/${id}`, conversation, thread, message: drawOpenPlan(plan, drawn) });
}

async function endOf({ acts, settings }: ProposeDeps, { id }: Plan): Promise<Message | undefined> {
  const plan = await acts.plan(id);
  return plan && drawEnded(acts, settings.command, plan);
}

/** Answers whether it is posted. */
async function place(
  deps: ProposeDeps,
  { asker }: ActRequest,
  plan: Plan,
  card: UnsentMessage | undefined,
): Promise<boolean> {
  const tell = async () => {
    const ended = await endOf(deps, plan);
    const shown = ended === undefined ? [drawOpenPlan(plan, deps), planThread(plan)] : [ended];
    for (const one of shown) await answerAsker(deps, asker, one);
  };
  if (card !== undefined) return (await deps.outbox.deliver(card, tell)).kind === 'posted';
  await tell();
  return false;
}

function unknownIncident(deps: ProposeDeps, id: string, { asker }: ActRequest): Promise<void> {
  const { says, next } = wrongKindOfId(id, { wanted: 'incident' }) ?? {
    says: 'No such incident.',
    next: 'Copy the id from its card, or list open incidents with `status`.',
  };
  return answerAsker(deps, asker, actRefused(says, next));
}
