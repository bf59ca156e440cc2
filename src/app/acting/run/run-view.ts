import type { Message } from '../../../model/message.ts';
import type { Plan } from '../../../model/plan.ts';
import { runCard } from '../../../report/run-card.ts';
import type { ActStore } from '../../acting-ports.ts';
import type { Chat, Store } from '../../ports.ts';

type RunViewDeps = {
  readonly acts: Pick<ActStore, 'run' | 'plan' | 'paused' | 'approvals'>;
  readonly store: Pick<Store, 'messages'>;
  readonly chat: Chat;
};

/** Draws a run anew on the card of its plan; where that is shown nowhere, nothing happens. */
export async function drawRun(deps: RunViewDeps, runId: string): Promise<void> {
  const run = await deps.acts.run(runId);
  const plan = run === undefined ? undefined : await deps.acts.plan(run.planId);
  if (run === undefined || plan === undefined) return;
  const approvedBy = await approversOf(deps.acts, plan.id);
  await redraw(deps, plan, runCard(run, plan, await deps.acts.paused(), approvedBy));
}

/** Who has said yes to a plan, in the order of their clicks. */
export async function approversOf(acts: Pick<ActStore, 'approvals'>, planId: string): Promise<string[]> {
  const said = await acts.approvals(planId);
  return said.flatMap(({ who, decision }) => (decision === 'approve' ? [who] : []));
}

/** Puts a message in the place of a plan's card. Answers whether it is shown anywhere. */
export async function redraw(deps: Omit<RunViewDeps, 'acts'>, plan: Plan, message: Message): Promise<boolean> {
  let shown = false;
  for (const ref of await deps.store.messages(plan.incidentId, `plan/${plan.id}`)) {
    const updated = await deps.chat.update(ref, message);
    shown ||= updated.kind === 'posted';
  }
  return shown;
}

/** Says something in each thread in which a plan stands: a card that changes calls nobody. */
export async function sayInThread(deps: Omit<RunViewDeps, 'acts'>, plan: Plan, message: Message): Promise<void> {
  const cards = await deps.store.messages(plan.incidentId, 'card');
  for (const { conversation } of await deps.store.messages(plan.incidentId, `plan/${plan.id}`)) {
    const thread = cards.find((card) => card.conversation === conversation);
    if (thread !== undefined) await deps.chat.post(conversation, message, thread);
  }
}

/** Says something aloud in each channel in which a plan stands. Answers whether anybody could hear it. */
export async function announceWhereShown(
  deps: Omit<RunViewDeps, 'acts'>,
  plan: Plan,
  message: Message,
): Promise<boolean> {
  const refs = await deps.store.messages(plan.incidentId, `plan/${plan.id}`);
  let heard = false;
  for (const conversation of new Set(refs.map((ref) => ref.conversation))) {
    const posted = await deps.chat.post(conversation, message);
    heard ||= posted.kind === 'posted';
  }
  return heard;
}
