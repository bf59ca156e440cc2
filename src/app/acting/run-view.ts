import type { Message } from '../../model/message.ts';
import type { Plan } from '../../model/plan.ts';
import { runCard } from '../../report/plan-card.ts';
import type { ActStore } from '../acting-ports.ts';
import type { Chat, Store } from '../ports.ts';

export type RunViewDeps = {
  readonly acts: Pick<ActStore, 'run' | 'plan'>;
  readonly store: Pick<Store, 'messages'>;
  readonly chat: Chat;
};

/** Draws a run anew on the card of its plan; where that is shown nowhere, nothing happens. */
export async function drawRun(deps: RunViewDeps, runId: string): Promise<void> {
  const run = await deps.acts.run(runId);
  const plan = run === undefined ? undefined : await deps.acts.plan(run.planId);
  if (run !== undefined && plan !== undefined) await redraw(deps, plan, runCard(run, plan));
}

/** Puts a message in the place of a plan's card. */
export async function redraw(deps: Omit<RunViewDeps, 'acts'>, plan: Plan, message: Message): Promise<void> {
  for (const ref of await deps.store.messages(plan.incidentId, `plan/${plan.id}`)) await deps.chat.update(ref, message);
}

/** Says something below a plan's card. */
export async function sayBelow(deps: Omit<RunViewDeps, 'acts'>, plan: Plan, message: Message): Promise<void> {
  for (const ref of await deps.store.messages(plan.incidentId, `plan/${plan.id}`)) {
    await deps.chat.post(ref.conversation, message, ref);
  }
}
