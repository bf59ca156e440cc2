import type { Clock, Log, Store } from '../app/ports.ts';

const EVERY_MS = 6 * 60 * 60_000;

export type SweepOptions = {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** How long evidence and incidents are kept, in ms. */
  readonly keepMs: { readonly snapshots: number; readonly incidents: number };
};

/** Deletes what is older than configured, at the start and every six hours until stopped. */
export function startSweeping({ store, clock, log, keepMs }: SweepOptions): { stop(): void } {
  const end = new AbortController();
  const loop = async (): Promise<void> => {
    while (!end.signal.aborted) {
      const now = clock.now();
      const gone = await store.sweep({
        snapshotsBefore: now - keepMs.snapshots,
        incidentsBefore: now - keepMs.incidents,
      });
      if (gone.snapshots + gone.incidents > 0) log.info('old evidence deleted', gone);
      await clock.sleep(EVERY_MS, end.signal);
    }
  };
  loop().catch((error) => {
    if (!end.signal.aborted) log.error('sweep failed', { error });
  });
  return { stop: () => end.abort() };
}
