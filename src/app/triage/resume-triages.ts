import { OomError } from '../../model/errors.ts';
import { RETRIED, type TriageRun } from '../../model/incident.ts';
import { QUIET_USER, startedBy } from '../../model/started-by.ts';
import { interrupted } from '../../report/notices.ts';
import { answerAsker } from '../answer-asker.ts';
import { parsePodQuery } from '../pod-query.ts';
import type { Chat, Clock, Log, Store } from '../ports.ts';
import type { WorkQueue } from '../work-queue.ts';
import type { TriageStarter } from './triage.ts';

const YOUNG_MS = 10 * 60_000;

type ResumeDeps = {
  readonly store: Store;
  readonly chat: Chat;
  readonly clock: Clock;
  readonly log: Log;
  readonly triages: TriageStarter;
  /** Where those wait that nobody typed. */
  readonly queue: Pick<WorkQueue, 'add'>;
  readonly commandName: string;
};

/** Triages that a stop cut off are run again if young, else a message says what happened: all, or those of `only`. Answers how many of each. */
export async function resumeTriages(
  deps: ResumeDeps,
  only?: ReadonlySet<string>,
): Promise<{ again: number; closed: number }> {
  const cutOff = (await deps.store.unfinishedTriages()).filter(({ id }) => only === undefined || only.has(id));
  const done = { again: 0, closed: 0 };
  for (const run of cutOff) {
    try {
      done[await resume(deps, run)] += 1;
    } catch (error) {
      // It stays unfinished in the store, so the next boot meets it again.
      deps.log.error('interrupted triage not resumed', { error, triage: run.id });
    }
  }
  if (cutOff.length > 0) deps.log.info('triages interrupted by the last shutdown', done);
  return done;
}

// The message comes first: a second restart may come at any moment, and twice is better than never.
async function resume(deps: ResumeDeps, run: TriageRun): Promise<'again' | 'closed'> {
  const { clock, triages, store } = deps;
  const parsed = parsePodQuery(run.query);
  const isAsked = startedBy(run.asker) === 'person';
  // Who asked has gone on meanwhile; an alert or a death that waited has told nobody yet.
  const young = !isAsked || clock.now() - run.startedAt < YOUNG_MS;
  // One that was cut off twice may be what cuts it off.
  const again = young && parsed.kind === 'query' && run.conversation !== null && run.outcome !== RETRIED;
  await sayInterrupted(deps, run, again);
  if (!again) {
    await store.endTriage(run.id, { state: 'interrupted', outcome: 'closed', incidentId: null, at: clock.now() });
    return 'closed';
  }
  // The rights of the channel are checked again; groups are not needed for reading.
  const asker = askerOf(run);
  const { externallyShared } = run;
  const actor = { place: 'slack' as const, user: run.asker, groups: [], channel: asker.conversation, externallyShared };
  const start = () => triages.again(run.id, parsed.query, { asker, actor });
  if (isAsked) {
    await store.retryTriage(run.id);
    void start();
    return 'again';
  }
  const isTaken = deps.queue.add({ group: run.cluster ?? '', run: () => retry(deps, run, start) });
  if (!isTaken) await triages.drop(run.id);
  return isTaken ? 'again' : 'closed';
}

// A triage that waits is not one that was cut off twice.
async function retry({ store, log }: ResumeDeps, run: TriageRun, start: () => Promise<void>): Promise<void> {
  try {
    await store.retryTriage(run.id);
  } catch (error) {
    return log.error('interrupted triage not resumed', { error, triage: run.id });
  }
  await start();
}

// Where the pod had not been found yet, nobody but the asker knows of the triage.
async function sayInterrupted(deps: ResumeDeps, run: TriageRun, again: boolean): Promise<void> {
  if (run.conversation === null) return;
  const message = interrupted(run.query, again, deps.commandName);
  if (run.ts === null) {
    if (again) return;
    const isPosted = startedBy(run.asker) !== 'person' && run.asker !== QUIET_USER;
    if (!isPosted) return answerAsker(deps, askerOf(run), message, { triage: run.id });
    const posted = await deps.chat.post(run.conversation, message);
    // It stays unfinished then, so the next start posts it.
    if (posted.kind === 'refused' && posted.retryMs !== undefined)
      throw new OomError('chat-refused', 'Slack takes no messages now.', { next: posted.next });
    return;
  }
  const told = await deps.chat.update({ conversation: run.conversation, ts: run.ts }, message);
  if (told.kind === 'refused') deps.log.warn('interrupted card not updated', { triage: run.id, code: told.code });
}

function askerOf(run: TriageRun) {
  return { user: run.asker, conversation: run.conversation ?? '', responseUrl: undefined };
}
