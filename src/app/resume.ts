import { interrupted } from '../report/notices.ts';
import { parsePodQuery } from './pod-query.ts';
import type { Chat, Clock, Log, Store } from './ports.ts';
import type { TriageDesk } from './triage.ts';

const YOUNG_MS = 10 * 60_000;
const AGAIN = '.again';

export type ResumeDeps = {
  readonly store: Store;
  readonly chat: Chat;
  readonly clock: Clock;
  readonly log: Log;
  readonly desk: TriageDesk;
  readonly commandName: string;
};

/** At boot: triages that a restart cut off are run again if young, else their message says what happened. Answers how many of each. */
export async function resumeTriages(deps: ResumeDeps): Promise<{ again: number; closed: number }> {
  const cutOff = await deps.store.unfinishedTriages();
  const done = { again: 0, closed: 0 };
  for (const run of cutOff) {
    const parsed = parsePodQuery(run.query);
    const young = deps.clock.now() - run.startedAt < YOUNG_MS;
    // One that was cut off twice may be what cuts it off.
    const again = young && parsed.kind === 'query' && run.conversation !== null && !run.id.endsWith(AGAIN);
    const end = {
      state: 'interrupted' as const,
      outcome: again ? 'run again' : 'closed',
      incidentId: null,
      at: deps.clock.now(),
    };
    await deps.store.endTriage(run.id, end);
    if (run.conversation !== null && run.ts !== null) {
      await deps.chat.update(
        { conversation: run.conversation, ts: run.ts },
        interrupted(run.query, again, deps.commandName),
      );
    }
    if (!again) {
      done.closed += 1;
      continue;
    }
    done.again += 1;
    const asker = { user: run.asker, conversation: run.conversation ?? '', responseUrl: undefined };
    // The rights of the channel are checked again; groups are not needed for reading.
    const { externallyShared } = run;
    const actor = {
      place: 'slack' as const,
      user: run.asker,
      groups: [],
      channel: asker.conversation,
      externallyShared,
    };
    void deps.desk.again(`${run.id}${AGAIN}`, parsed.query, { asker, actor });
  }
  if (cutOff.length > 0) deps.log.info('triages cut off by the last stop', done);
  return done;
}
