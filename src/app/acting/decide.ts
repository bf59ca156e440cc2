import type { Plan } from '../../model/plan.ts';
import {
  actRefused,
  approvalCounted,
  brokeGlass,
  clickRefused,
  needsTyping,
  planRejected,
} from '../../report/acting-words.ts';
import { runCard } from '../../report/plan-card.ts';
import type { ActStore, ClickOutcome, Runner } from '../acting-ports.ts';
import type { Store } from '../ports.ts';
import { tell } from '../tell.ts';
import { type ActRequest, audit, may, type PermitDeps, type Place, refuse } from './permit.ts';
import { redraw, sayBelow } from './run-view.ts';

export type DecideDeps = Omit<PermitDeps, 'acts'> & {
  readonly acts: ActStore;
  readonly store: Pick<Store, 'messages'>;
  readonly runner: Runner;
};

const CONFIRM = /--confirm=(\S+)/;
const BREAK_GLASS = /--break-glass=(?:"([^"]+)"|(.+)$)/;

/** A yes or a no to a plan, by a button (`<plan> <hash>`) or typed (`<plan> [--confirm=NAME] [--break-glass=REASON]`). */
export async function decide(
  deps: DecideDeps,
  decision: 'approve' | 'reject',
  rest: string,
  request: ActRequest,
): Promise<void> {
  const [planId = '', hash] = rest.replaceAll('`', '').trim().split(/\s+/);
  const found = await deps.acts.plan(planId);
  if (found === undefined) return refuse(deps, request, { verb: decision, subject: planId, why: 'no-such-plan' });
  if (!(await may(deps, request, 'approve', targetOf(found)))) return;
  const typed = CONFIRM.exec(rest)?.[1];
  if (decision === 'approve' && found.confirm !== null && typed !== found.confirm) {
    return tell(deps, request.asker, needsTyping(found.id, found.confirm));
  }
  const glass = BREAK_GLASS.exec(rest);
  const reason = glass === null ? null : (glass[1] ?? glass[2] ?? '').trim();
  if (reason !== null && !deps.settings.breakGlass.includes(request.asker.user)) {
    await audit(deps, request, { verb: 'break-glass', subject: planId, why: 'not-allowed' });
    const next = 'Ask for the approvals that are missing.';
    return tell(deps, request.asker, actRefused('You may not break the glass.', next));
  }
  const outcome = await deps.acts.click({
    planId,
    // A button carries the hash that it was drawn for; who types the id has the plan's own.
    hash: hash !== undefined && !hash.startsWith('--') ? hash : found.hash,
    who: request.asker.user,
    decision,
    barRequester: deps.settings.barRequester,
    breakGlass: reason,
    at: deps.clock.now(),
  });
  if (outcome.kind === 'run' && reason !== null) {
    await sayBelow(deps, found, brokeGlass(request.asker.user, planId, reason));
  }
  await answerClick(deps, request, found, outcome);
}

async function answerClick(deps: DecideDeps, request: ActRequest, plan: Plan, outcome: ClickOutcome): Promise<void> {
  switch (outcome.kind) {
    case 'refused':
      return tell(deps, request.asker, clickRefused(outcome.why));
    case 'counted':
      return tell(deps, request.asker, approvalCounted(outcome.have, outcome.need));
    case 'rejected':
      return redraw(deps, plan, planRejected(request.asker.user, plan.id));
    case 'run':
      // Buttons change only after the commit. A start that fails here is made up for by the sweeper.
      await redraw(deps, plan, runCard(outcome.run, plan));
      await deps.runner
        .start(outcome.run.id)
        .catch((error) => deps.log.warn('run not started yet', { run: outcome.run.id, error }));
  }
}

function targetOf({ target }: Plan): Place {
  return { cluster: target.cluster, namespace: target.object.namespace };
}
