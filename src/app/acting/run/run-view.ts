import { approversFor, type Rights } from '../../../model/authorise.ts';
import type { MessageRef } from '../../../model/incident.ts';
import type { Message } from '../../../model/message.ts';
import { openQuestion, type Plan, type Run } from '../../../model/plan.ts';
import { notPosted } from '../../../report/notices.ts';
import { planCard, planThread } from '../../../report/plan-card.ts';
import { runCard } from '../../../report/run-card.ts';
import { withChange } from '../../../report/temporary-change.ts';
import type { ActStore } from '../../acting-ports.ts';
import type { Outbox } from '../../outbox.ts';
import type { Chat, Store } from '../../ports.ts';
import type { PlanSettings } from '../settings.ts';
import { drawEnded } from './ended-plan.ts';

export type RunViewDeps = {
  readonly acts: Pick<ActStore, 'run' | 'runsOf' | 'plan' | 'paused' | 'approvals' | 'changeOfRun'>;
  readonly store: Pick<Store, 'messages'>;
  readonly chat: Chat;
  readonly outbox: Pick<Outbox, 'send' | 'enqueue' | 'adopt'>;
};

const OVER: ReadonlySet<string> = new Set(['done', 'failed', 'aborted']);

/** Redraws a run on the card of its plan; of the last time the outbox takes care where Slack is away. A plan without a card gets one: no change without a message. */
export async function drawRun(deps: RunViewDeps, runId: string, { isLast = false } = {}): Promise<void> {
  const run = await deps.acts.run(runId);
  const plan = run === undefined ? undefined : await deps.acts.plan(run.planId);
  if (run === undefined || plan === undefined) return;
  const approvedBy = await approversOf(deps.acts, plan.id);
  const change = OVER.has(run.state) ? await deps.acts.changeOfRun(runId) : undefined;
  const message = withChange(runCard(run, plan, await deps.acts.paused(), approvedBy), change);
  const { isShown, refused, waiting } = await redrawAll(deps, plan, message);
  for (const ref of isLast ? waiting : []) await keepDrawing(deps, plan, { ref, message });
  if (isShown) return;
  if (refused !== undefined) return tellStarter(deps, { run, plan, message, refused });
  const card = (await deps.store.messages(run.incidentId, 'card')).at(-1);
  // Below the finding, else to the person who started it.
  const conversation = card?.conversation ?? run.startedBy;
  const kind = `plan/${plan.id}` as const;
  await deps.outbox.send({ incidentId: run.incidentId, kind, conversation, thread: card, message, once: true });
}

type Redraw = { readonly ref: MessageRef; readonly message: Message };

async function keepDrawing({ outbox }: RunViewDeps, { id, incidentId }: Plan, { ref, message }: Redraw): Promise<void> {
  await outbox.enqueue({ incidentId, kind: `plan/${id}`, conversation: ref.conversation, ref, message });
}

type Unshown = {
  readonly run: Run;
  readonly plan: Plan;
  readonly message: Message;
  readonly refused: { readonly conversation: string; readonly next: string };
};

// Its channel takes no changes of the card any more. How it ends is reported by itself.
async function tellStarter({ outbox }: RunViewDeps, { run, plan, message, refused }: Unshown): Promise<void> {
  const { id, incidentId, startedBy: conversation, state } = run;
  if (OVER.has(state) || state === 'rolled-back') return;
  const question = openQuestion(run, plan);
  const stage = question === undefined ? (state === 'compensating' ? 'back' : 'ahead') : `asks-${question.n}`;
  const type = `${question === undefined ? '' : `\`go-on ${id}\` or `}\`abort ${id}\``;
  const next = `${refused.next} ${state === 'compensating' ? '' : `To decide, type ${type}.`}`;
  const kind = `refused/run/${id}/${stage}/${conversation}` as const;
  await outbox.enqueue({
    ...{ incidentId, kind, conversation, once: true },
    message: notPosted(message, refused.conversation, next.trim()),
  });
}

type DrawPlanDeps = RunViewDeps & { readonly acts: Pick<ActStore, 'now'> };

/** Draws a plan whose card was late as it is now: open, decided or run. */
export async function drawPlan(deps: DrawPlanDeps, planId: string, shown: PlanShown): Promise<void> {
  const plan = await deps.acts.plan(planId);
  if (plan === undefined) return;
  if (plan.state === 'used') {
    const run = (await deps.acts.runsOf(plan.incidentId)).find((one) => one.planId === planId);
    return run && drawRun(deps, run.id);
  }
  const ended = await drawEnded(deps.acts, shown.settings.command, plan);
  if (ended !== undefined) {
    await redraw(deps, plan, ended);
    return;
  }
  await redraw(deps, plan, drawOpenPlan(plan, shown, await approversOf(deps.acts, planId)));
  await sendDetails(deps, plan);
}

/** What the card of a plan is drawn with. */
type PlanShown = { readonly rights: Rights; readonly settings: Pick<PlanSettings, 'command'> };

/** A plan that waits for approvals, with a mention of those who may give them. */
export function drawOpenPlan(plan: Plan, { rights, settings }: PlanShown, approvedBy: readonly string[] = []): Message {
  const { cluster, object } = plan.target;
  const approvers = approversFor(rights, { cluster, namespace: object.namespace, action: plan.action });
  return planCard(plan, { approvedBy, command: settings.command, approvers });
}

/** Posts steps, rollback commands and notes below a plan, once. */
export async function sendDetails({ store, outbox }: Pick<RunViewDeps, 'store' | 'outbox'>, plan: Plan): Promise<void> {
  const { id, incidentId } = plan;
  const ref = (await store.messages(incidentId, `plan/${id}`)).at(-1);
  if (ref === undefined) return;
  const thread = await threadOf(store, incidentId, ref);
  const { conversation } = ref;
  await outbox.send({ incidentId, kind: `details/${id}`, conversation, thread, message: planThread(plan), once: true });
}

/** The message below which replies to this one belong: Slack has no thread in a thread. */
export async function threadOf(
  store: Pick<Store, 'messages'>,
  incidentId: string,
  ref: MessageRef,
): Promise<MessageRef> {
  const cards = await store.messages(incidentId, 'card');
  return cards.find(({ conversation }) => conversation === ref.conversation) ?? ref;
}

/** Who has said yes to a plan, in the order of their clicks. */
export async function approversOf(acts: Pick<ActStore, 'approvals'>, planId: string): Promise<string[]> {
  const said = await acts.approvals(planId);
  return said.flatMap(({ who, decision }) => (decision === 'approve' ? [who] : []));
}

type RedrawDeps = Pick<RunViewDeps, 'store' | 'chat'> & { readonly outbox: Pick<Outbox, 'adopt'> };

/** Puts a message in the place of a plan's card. Answers whether it is shown anywhere. */
export async function redraw(
  deps: RedrawDeps,
  plan: Pick<Plan, 'id' | 'incidentId'>,
  message: Message,
): Promise<boolean> {
  return (await redrawAll(deps, plan, message)).isShown;
}

type Redrawn = {
  readonly isShown: boolean;
  readonly refused: Unshown['refused'] | undefined;
  readonly waiting: readonly MessageRef[];
};

/** `refused`: which place refuses it for good; `waiting`: which may take it later. */
async function redrawAll(
  { store, chat, outbox }: RedrawDeps,
  { id, incidentId }: Pick<Plan, 'id' | 'incidentId'>,
  message: Message,
): Promise<Redrawn> {
  let isShown = false;
  let refused: Redrawn['refused'];
  const waiting: MessageRef[] = [];
  const kind = `plan/${id}` as const;
  for (const ref of await store.messages(incidentId, kind)) {
    const updated = await chat.update(ref, message);
    if (updated.kind === 'refused') {
      if (updated.retryMs === undefined) refused = { ...ref, next: updated.next };
      else waiting.push(ref);
      continue;
    }
    isShown = true;
    // Somebody deleted it, and the next change is to find the copy that was posted in its place.
    if (updated.ref.ts !== ref.ts) await outbox.adopt(incidentId, kind, updated.ref);
  }
  return { isShown, refused, waiting };
}

/** Where a plan is shown: each conversation once, with the thread that replies belong in. */
export async function placesOf(
  store: Pick<Store, 'messages'>,
  { id, incidentId }: Pick<Plan, 'id' | 'incidentId'>,
): Promise<readonly { readonly conversation: string; readonly thread: MessageRef }[]> {
  const refs = await store.messages(incidentId, `plan/${id}`);
  const newest = [...new Map(refs.map((ref) => [ref.conversation, ref])).values()];
  return Promise.all(
    newest.map(async (ref) => ({
      conversation: ref.conversation,
      thread: await threadOf(store, incidentId, ref),
    })),
  );
}
