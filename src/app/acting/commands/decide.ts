import type { Message } from '../../../model/message.ts';
import type { Plan } from '../../../model/plan.ts';
import {
  approvalCounted,
  approverUnknown,
  breakGlassRefused,
  brokeGlass,
  clickRefused,
  needsTyping,
  planEnded,
  planRejected,
  runBegins,
  wordsUnknown,
} from '../../../report/acting-words.ts';
import { runCard } from '../../../report/run-card.ts';
import type { ActStore, ClickOutcome, Doubt, Runner } from '../../acting-ports.ts';
import { answerAsker } from '../../answer-asker.ts';
import { undoTypography } from '../../command.ts';
import type { Outbox } from '../../outbox.ts';
import type { UnsentMessage } from '../../outbox-ports.ts';
import type { Store } from '../../ports.ts';
import { findStray } from '../plan/plan-request.ts';
import { approversOf, drawOpenPlan, drawRun, placesOf, redraw } from '../run/run-view.ts';
import { type ActRequest, audit, may, type PermitDeps, refuse, targetOf } from './permit.ts';
import { type RecheckDeps, recheckApprovers } from './recheck-approvers.ts';

export type DecideDeps = Omit<PermitDeps, 'acts'> &
  Pick<RecheckDeps, 'groupsOf'> & {
    readonly acts: ActStore;
    readonly store: Pick<Store, 'messages'>;
    readonly outbox: Pick<Outbox, 'send' | 'enqueue' | 'adopt' | 'prepare' | 'dispatch'>;
    readonly runner: Runner;
  };

type Decision = 'approve' | 'reject';
type Asked = {
  readonly planId: string;
  readonly hash: string | undefined;
  readonly confirm?: string | undefined;
  /** Undefined: not asked for. Empty: without its reason. */
  readonly breakGlass?: string | undefined;
  /** Why it is rejected, where that is said. */
  readonly reason?: string | undefined;
  /** Words that mean nothing here: who mistypes means something else than what would be done without them. */
  readonly unknown: string | undefined;
};

const CONFIRM = /(?:^|\s)--confirm=(\S+)/;
// The rest of the line, where a shell or a keyboard has taken the quotes away.
const BREAK_GLASS = /(?:^|\s)--break-glass(?:[=\s]+(?:"([^"]*)"|(.*)))?$/;
const REASON = /(?:^|\s)--reason(?:[=\s]+(?:"([^"]*)"|(.*)))?$/;

/** A yes or a no to a plan, by a button (`<plan> <hash>`) or typed (`<plan> [--confirm=NAME] [--break-glass="WHY"]`, `<plan> [--reason="WHY"]`). */
export async function decide(deps: DecideDeps, decision: Decision, rest: string, request: ActRequest): Promise<void> {
  const asked = request.isClick === true ? readButton(rest) : READ[decision](rest);
  if (asked.unknown !== undefined) return answerAsker(deps, request.asker, wordsUnknown(asked.unknown, decision));
  const found = await deps.acts.plan(asked.planId);
  if (found === undefined) return refuse(deps, request, { verb: decision, subject: asked.planId, why: 'no-such-plan' });
  // Whoever asked for a plan may withdraw it.
  const isOwn = decision === 'reject' && found.proposedBy === request.asker.user;
  if (!isOwn && !(await may(deps, request, 'approve', targetOf(found)))) return;
  if (decision === 'approve' && !(await isComplete(deps, request, found, asked))) return;
  const { hash, breakGlass = null, reason = null } = asked;
  const doubts = decision === 'approve' ? await recheckApprovers(deps, found, request.asker.user) : [];
  const notices = await noticesOf(deps, request, { plan: found, decision, breakGlass, reason });
  const click = {
    planId: found.id,
    // A button carries the hash that it was drawn for; who types the id means the plan as it is.
    hash: hash ?? found.hash,
    who: request.asker.user,
    decision,
    barRequester: deps.settings.barRequester,
    breakGlass: decision === 'approve' ? breakGlass : null,
    reason,
    at: await deps.acts.now(),
    doubts,
  };
  const outcome = await deps.acts.click(click, notices);
  if (outcome.kind === 'run' || outcome.kind === 'rejected') deps.outbox.dispatch(notices);
  // Not before the click is stored. What was clicked is the card, also where its place was lost.
  await deps.outbox.adopt(found.incidentId, `plan/${found.id}`, request.clicked);
  await answerClick(deps, request, found, { ...outcome, doubts, reason });
}

const HASH = /(?<=^\S+\s+)[0-9a-f]{32}(?=\s|$)/;
const WHOLE_HASH = /^[0-9a-f]{32}$/;

// A button without its hash is none that was drawn here: it must not count as the plan as it is.
function readButton(value: string): Asked {
  const [planId = '', ...words] = value.trim().split(/\s+/);
  // What is kept of a forged one is that it was none.
  const hash = words.length === 1 && WHOLE_HASH.test(words[0] ?? '') ? words[0] : 'none';
  return { planId, hash, unknown: undefined };
}

function readRejection(rest: string): Asked {
  const text = undoTypography(rest);
  const [planId = ''] = text.split(/\s+/);
  const said = REASON.exec(text);
  const reason = (said?.[1] ?? said?.[2] ?? '').trim();
  const unknown = findStray(text.replace(REASON, '').replace(HASH, ''));
  return { planId, hash: HASH.exec(text)?.[0], reason: reason === '' ? undefined : reason, unknown };
}

function readApproval(rest: string): Asked {
  const text = undoTypography(rest);
  const [planId = ''] = text.split(/\s+/);
  const glass = BREAK_GLASS.exec(text);
  return {
    planId,
    hash: HASH.exec(text)?.[0],
    confirm: CONFIRM.exec(text)?.[1],
    breakGlass: glass === null ? undefined : (glass[1] ?? glass[2] ?? '').trim(),
    unknown: findStray(text.replace(BREAK_GLASS, '').replace(CONFIRM, '').replace(HASH, '')),
  };
}

const READ = { approve: readApproval, reject: readRejection } as const;

/** Whether an approval has what it needs besides the permission: the typed name, and for break-glass the reason and the permission. */
async function isComplete(deps: DecideDeps, request: ActRequest, plan: Plan, asked: Asked): Promise<boolean> {
  const subject = plan.id;
  if (plan.state === 'proposed' && plan.confirm !== null && asked.confirm !== plan.confirm) {
    await audit(deps, request, { verb: 'approve', subject, why: 'not-confirmed' });
    await answerAsker(deps, request.asker, needsTyping(plan, typed(deps, request)));
    return false;
  }
  if (asked.breakGlass === undefined) return true;
  const isListed = deps.settings.breakGlass.includes(request.asker.user);
  if (isListed && asked.breakGlass !== '') return true;
  const why = isListed ? 'no-reason' : 'not-allowed';
  await audit(deps, request, { verb: 'break-glass', subject, why });
  await answerAsker(deps, request.asker, breakGlassRefused(why, plan.id, typed(deps, request)));
  return false;
}

/** How a command begins where it was asked for. */
function typed({ settings }: DecideDeps, { atTerminal = false }: ActRequest): string {
  return atTerminal ? 'oom' : settings.command;
}

type Said = {
  readonly plan: Plan;
  readonly decision: Decision;
  readonly breakGlass: string | null;
  readonly reason: string | null;
};

// Stored with the click: a changed card notifies nobody, and who must hear of it may not hear it from Slack alone. Breaking
// the glass is said aloud in the channel, the reason of a rejection in the thread.
async function noticesOf(
  { outbox, store }: DecideDeps,
  { asker }: ActRequest,
  { plan, decision, breakGlass, reason }: Said,
): Promise<readonly UnsentMessage[]> {
  const { incidentId } = plan;
  const kindIn = (conversation: string) => `decided/${plan.id}/${conversation}` as const;
  if (decision === 'reject') {
    if (reason === null) return [];
    const message = planRejected(asker.user, plan.id, reason);
    return (await placesOf(store, plan)).map(({ conversation, thread }) =>
      outbox.prepare({ incidentId, kind: kindIn(conversation), conversation, thread, message }),
    );
  }
  if (breakGlass === null) return [];
  const message = brokeGlass(asker.user, plan.id, breakGlass);
  const shownIn = (await placesOf(store, plan)).map(({ conversation }) => conversation);
  // A plan that was made at a terminal has no message, and its asker no channel.
  const cardsIn = (await store.messages(incidentId, 'card')).map(({ conversation }) => conversation);
  const heardIn = [shownIn, [asker.conversation].filter((one) => one !== ''), cardsIn].find(({ length }) => length > 0);
  return [...new Set(heardIn)].map((conversation) =>
    outbox.prepare({ incidentId, kind: kindIn(conversation), conversation, message }),
  );
}

type Answered = ClickOutcome & { readonly doubts: readonly Doubt[]; readonly reason: string | null };

async function answerClick(deps: DecideDeps, request: ActRequest, plan: Plan, outcome: Answered): Promise<void> {
  switch (outcome.kind) {
    case 'refused':
      if (outcome.why === 'approver-unknown') return answerAsker(deps, request.asker, approverUnknown(outcome.doubts));
      await answerAsker(deps, request.asker, clickRefused(outcome.why));
      return refresh(deps, plan, outcome.why);
    case 'counted':
      await drawCounted(deps, plan);
      return answerAsker(deps, request.asker, approvalCounted(outcome, outcome.doubts));
    case 'rejected': {
      const message = planRejected(request.asker.user, plan.id, outcome.reason);
      return drawOrTell(deps, request, plan, message);
    }
    case 'run': {
      // Buttons change only after the commit. A start that fails here is made up for by the sweeper.
      const { run } = outcome;
      const shown = await redraw(deps, plan, runCard(run, plan, undefined, await approversOf(deps.acts, plan.id)));
      if (!shown || request.atTerminal === true)
        await answerAsker(deps, request.asker, runBegins(run.id, typed(deps, request)));
      await deps.runner.start(run.id).catch((error) => deps.log.warn('run not started yet', { run: run.id, error }));
      if (!shown) await drawRun(deps, run.id);
    }
  }
}

// The others who may approve read it where they will click. A plan that was decided meanwhile has another card.
async function drawCounted(deps: DecideDeps, { id }: Plan): Promise<void> {
  const approvedBy = await approversOf(deps.acts, id);
  const plan = await deps.acts.plan(id);
  if (plan?.state !== 'proposed') return;
  await redraw(deps, plan, drawOpenPlan(plan, deps, approvedBy));
}

async function drawOrTell(deps: DecideDeps, request: ActRequest, plan: Plan, message: Message): Promise<void> {
  const shown = await redraw(deps, plan, message);
  if (!shown || request.atTerminal === true) await answerAsker(deps, request.asker, message);
}

const OVER: ReadonlySet<string> = new Set(['expired', 'replaced', 'already-rejected']);

// A card that still has buttons though nothing can come of them was drawn before a restart, or a drawing was lost.
async function refresh(deps: DecideDeps, plan: Plan, why: string): Promise<void> {
  if (OVER.has(why)) await redraw(deps, plan, planEnded(why, plan.id));
  if (why !== 'already-used') return;
  const runs = await deps.acts.runsOf(plan.incidentId);
  const run = runs.find(({ planId }) => planId === plan.id);
  if (run !== undefined) await drawRun(deps, run.id);
}
