import { resumeRequests } from '../app/chat/kept-requests.ts';
import type { Outbox } from '../app/outbox.ts';
import type { ReplicaStore, TakenOver } from '../app/outbox-ports.ts';
import type { Clock, Log } from '../app/ports.ts';
import { resumeTriages } from '../app/triage/resume-triages.ts';
import { repeat } from './repeat.ts';

export type Resuming = Parameters<typeof resumeTriages>[0] &
  Parameters<typeof resumeRequests>[0] & {
    readonly store: ReplicaStore & { readonly takeOverMs?: number | undefined };
    readonly outbox: Pick<Outbox, 'resume'>;
    readonly clock: Clock;
    readonly log: Log;
    /** When the store was opened, by the clock's `monotonic`. */
    readonly openedMs: number;
  };

const BEAT_MS = 10_000;
const GONE_MS = 60_000;
// In an upgrade replicas of a release that named no holders still run. A triage takes ten minutes at most (deadlineSeconds).
const UNHELD_MS = 15 * 60_000;

/**
 * Takes up what a process left open that is gone: the last one on this store, or another replica while this one runs.
 * Messages that wait for Slack end with the outbox. `stop` ends once what was taken up has ended. Never rejects.
 */
export function startResuming(deps: Resuming): { stop(): Promise<void> } {
  const running = new Set<Promise<void>>();
  const findGone = deps.store.takeOverMs === 0 ? findOnce(deps) : findByBeats(deps);
  const beats = repeat(BEAT_MS, deps.clock, async (signal) => {
    try {
      const found = await findGone();
      if (found === undefined || signal.aborted) return;
      // A request that takes its time must not keep this process from showing that it is alive.
      const work = takeUp(deps, found).finally(() => running.delete(work));
      running.add(work);
    } catch (error) {
      deps.log.error('work of stopped replicas not looked for', { error });
    }
  });
  return {
    async stop() {
      await beats.stop();
      await Promise.all(running);
    },
  };
}

const EVERYTHING = Number.MAX_SAFE_INTEGER;

type FindGone = () => Promise<TakenOver | undefined>;

// Nobody else ever serves on this store.
function findOnce({ store }: Resuming): FindGone {
  let isDone = false;
  return async () => {
    if (isDone) return undefined;
    const found = await store.takeOver(EVERYTHING, EVERYTHING);
    isDone = true;
    return found;
  };
}

// After the store was away all look dead alike, so only a process whose own beats were steady judges the others. One that
// was alone when it opened the store need not wait for those before it.
function findByBeats({ store, clock, openedMs }: Resuming): FindGone {
  let isAlone = store.takeOverMs !== undefined;
  let steady: { readonly since: number; readonly aheadMs: number } | undefined;
  return async () => {
    const before = steady;
    steady = undefined;
    const now = await store.beat();
    const since = clock.monotonic();
    // The shared clock was set: by the new time all that it has seen lies far back, or in the future.
    const isSame = before !== undefined && Math.abs(now - since - before.aheadMs) < BEAT_MS;
    steady = isSame ? before : { since, aheadMs: now - since };
    const isSteady = since - steady.since >= GONE_MS;
    if (!isAlone && !isSteady) return undefined;
    const openMs = since - openedMs;
    // The monotonic time has fractions, and a store's has none.
    const found = isAlone
      ? await store.takeOver(Math.floor(now - openMs), EVERYTHING)
      : await store.takeOver(now - GONE_MS, openMs < UNHELD_MS ? undefined : now - UNHELD_MS);
    isAlone = false;
    return found;
  };
}

async function takeUp(deps: Resuming, { messages, triages, requests }: TakenOver): Promise<void> {
  const parts = [
    () => messages.size > 0 && deps.outbox.resume(messages),
    () => triages.size > 0 && resumeTriages(deps, triages),
    () => requests.size > 0 && resumeRequests(deps, requests),
  ];
  for (const resume of parts) {
    try {
      await resume();
    } catch (error) {
      deps.log.error('resume failed', { error });
    }
  }
}
