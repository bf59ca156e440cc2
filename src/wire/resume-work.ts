import { resumeRequests } from '../app/chat/kept-requests.ts';
import type { Outbox } from '../app/outbox.ts';
import type { OutboxStore } from '../app/outbox-ports.ts';
import type { Clock, Log } from '../app/ports.ts';
import { resumeTriages } from '../app/triage/resume-triages.ts';

export type Resuming = Parameters<typeof resumeTriages>[0] &
  Parameters<typeof resumeRequests>[0] & {
    readonly store: Pick<OutboxStore, 'unsentMessages'>;
    readonly outbox: Pick<Outbox, 'resume'>;
    readonly clock: Pick<Clock, 'now' | 'sleep'>;
    readonly log: Log;
  };

// What another replica was doing at that time is done by then, or waits for Slack.
const OTHERS_MS = 60_000;

/**
 * At boot: what the last stop cut off. With other replicas on the same store only what was there before and is still open
 * a minute later, since until then it may be their work. Messages that wait for Slack end with the outbox. Never rejects.
 */
export async function resumeWork(deps: Resuming, isAlone: boolean, stop: AbortSignal): Promise<void> {
  const { store, outbox, clock } = deps;
  const before = isAlone ? Number.POSITIVE_INFINITY : clock.now();
  let unsent: ReadonlySet<string> | undefined;
  if (!isAlone) {
    unsent = new Set((await store.unsentMessages().catch(() => [])).map(({ id }) => id));
    await clock.sleep(OTHERS_MS, stop).catch(() => undefined);
  }
  if (stop.aborted) return;
  const parts = [() => outbox.resume(unsent), () => resumeTriages(deps, before), () => resumeRequests(deps, before)];
  for (const resume of parts) {
    await resume().catch((error: unknown) => deps.log.error('resume failed', { error }));
  }
}
