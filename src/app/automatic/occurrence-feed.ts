import type { AutomaticUser } from '../../model/started-by.ts';
import type { Meters } from '../meter-ports.ts';
import type { Clock, Log } from '../ports.ts';
import type { Intake, Occurrence } from './intake.ts';
import type { Term } from './leader.ts';

type FeedDeps = {
  readonly intake: Intake;
  /** Who is audited for what is taken up. */
  readonly by: AutomaticUser;
  readonly counter: 'oombot_deaths_total' | 'oombot_load_signals_total';
  readonly term: Term;
  readonly meters: Meters;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly log: Log;
};

export type OccurrenceFeed = {
  push(occurrences: readonly Occurrence[]): void;
  /** Ends when nothing is being taken up. */
  settle(): Promise<void>;
};

const MOST_WAITING = 2_000;
const AT_ONCE = 100;
const RETRY_MS = 5_000;

/** Hands occurrences to the intake as long as this replica leads; what the store does not take is tried again. Another leader finds the rest in its first list. */
export function createOccurrenceFeed(deps: FeedDeps): OccurrenceFeed {
  const waiting: Occurrence[] = [];
  let draining = Promise.resolve();
  let isDraining = false;
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      if (!deps.term.leads()) {
        tally(deps, 'not-leading', waiting.splice(0).length);
        break;
      }
      const batch = waiting.slice(0, AT_ONCE);
      if (await takeUp(deps, batch)) waiting.splice(0, batch.length);
      else await deps.clock.sleep(RETRY_MS, deps.term.signal).catch(() => undefined);
    }
    isDraining = false;
  };
  return {
    push(occurrences) {
      const taken = occurrences.slice(0, Math.max(0, MOST_WAITING - waiting.length));
      waiting.push(...taken);
      tally(deps, 'dropped', occurrences.length - taken.length);
      if (isDraining) return;
      isDraining = true;
      draining = drain();
    },
    settle: () => draining,
  };
}

async function takeUp(deps: FeedDeps, batch: readonly Occurrence[]): Promise<boolean> {
  try {
    for (const result of await deps.intake.take(batch, deps.by)) tally(deps, result, 1);
    return true;
  } catch (error) {
    deps.log.error('occurrences not stored', { error, by: deps.by, count: batch.length });
    return false;
  }
}

function tally({ meters, counter }: FeedDeps, result: string, count: number): void {
  if (count > 0) meters.count(counter, { result }, count);
}
