import type { Clock, Log, Store } from '../app/ports.ts';
import { type Repeated, repeat } from './repeat.ts';

const EVERY_MS = 6 * 60 * 60_000;

type SweepOptions = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** How long evidence and incidents are kept, in ms. */
  readonly keepMs: { readonly snapshots: number; readonly incidents: number };
};

/** Deletes what is older than configured, at the start and every six hours until stopped. */
export function startSweeping(options: SweepOptions): Repeated {
  return repeat(EVERY_MS, options.clock, () => sweep(options));
}

// One that fails, with a disk full or a store busy, is tried again at the next time.
async function sweep({ store, clock, log, keepMs }: SweepOptions): Promise<void> {
  const now = clock.now();
  try {
    const gone = await store.sweep({
      snapshotsBefore: now - keepMs.snapshots,
      incidentsBefore: now - keepMs.incidents,
    });
    if (gone.snapshots + gone.incidents > 0) log.info('old evidence deleted', gone);
  } catch (error) {
    log.error('sweep failed', { error });
  }
}
