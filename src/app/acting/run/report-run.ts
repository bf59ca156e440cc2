import { OomError } from '../../../model/errors.ts';
import { runReport } from '../../../report/run-card.ts';
import type { Clock, Store } from '../../ports.ts';
import { drawRun, type RunViewDeps, threadOf } from './run-view.ts';

export type ReportRunDeps = Omit<RunViewDeps, 'store'> & {
  readonly store: Pick<Store, 'messages' | 'saveMessage'>;
  readonly clock: Clock;
};

/**
 * Posts the result of a run once, in the thread of its plan card, and redraws the card. Throws if Slack refuses. A flow that
 * lost its lease for a moment is executed a second time, by this process or another: a second caller waits for the report
 * in progress.
 */
export function createRunReporter(deps: ReportRunDeps): (runId: string) => Promise<void> {
  const underWay = new Map<string, Promise<void>>();
  return (runId) => {
    const report = underWay.get(runId) ?? reportRun(deps, runId).finally(() => underWay.delete(runId));
    underWay.set(runId, report);
    return report;
  };
}

async function reportRun(deps: ReportRunDeps, runId: string): Promise<void> {
  const run = await deps.acts.run(runId);
  const plan = run === undefined ? undefined : await deps.acts.plan(run.planId);
  if (run === undefined || plan === undefined) return;
  await drawRun(deps, runId);
  const told = await deps.store.messages(run.incidentId, `report/${run.id}/${run.state}`);
  if (told.length > 0) return;
  const message = runReport(run, plan);
  const cards = await deps.store.messages(run.incidentId, `plan/${plan.id}`);
  if (cards.length === 0) {
    throw new OomError('chat-refused', 'The run has no card in Slack yet.', {
      next: 'oombot posts the report as soon as the card is there.',
    });
  }
  for (const ref of cards) {
    const thread = await threadOf(deps.store, run.incidentId, ref);
    const posted = await deps.chat.post(ref.conversation, message, thread);
    if (posted.kind === 'refused')
      throw new OomError('chat-refused', `Slack refused the run report: ${posted.code}.`, { next: posted.next });
    await deps.store.saveMessage(run.incidentId, `report/${run.id}/${run.state}`, posted.ref);
  }
}
