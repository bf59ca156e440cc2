import type { MessageRef } from '../../../model/incident.ts';
import { runReport } from '../../../report/run-card.ts';
import type { Outbox } from '../../outbox.ts';
import type { Log } from '../../ports.ts';
import { drawRun, type RunViewDeps, threadOf } from './run-view.ts';

type ReportRunDeps = Omit<RunViewDeps, 'outbox'> & {
  readonly outbox: Pick<Outbox, 'send' | 'enqueue' | 'adopt'>;
  readonly log: Log;
};

/**
 * Redraws the card of a run, later where Slack is away, and posts the result once, in the thread of each card of its plan, or else to the person who
 * started it. Ends when the reports are stored: Slack may be away.
 */
export function createRunReporter(deps: ReportRunDeps): (runId: string) => Promise<void> {
  return (runId) => reportRun(deps, runId);
}

async function reportRun(deps: ReportRunDeps, runId: string): Promise<void> {
  const { acts, store, outbox, log } = deps;
  const run = await acts.run(runId);
  const plan = run === undefined ? undefined : await acts.plan(run.planId);
  if (run === undefined || plan === undefined) return;
  await drawRun(deps, runId, { isLast: true }).catch((error) => log.warn('run not drawn', { run: runId, error }));
  const { incidentId, startedBy } = run;
  const message = runReport(run, plan);
  const report = async (conversation: string, thread?: MessageRef): Promise<void> => {
    const kind = `report/${run.id}/${run.state}/${conversation}` as const;
    await outbox.enqueue({ incidentId, kind, conversation, thread, message, once: true });
  };
  const cards = await store.messages(incidentId, `plan/${plan.id}`);
  for (const ref of cards) await report(ref.conversation, await threadOf(store, incidentId, ref));
  if (cards.length === 0) await report(startedBy);
}
