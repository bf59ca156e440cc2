import type { Clock } from '../../app/ports.ts';
import { createBoundedMap } from './bounded-map.ts';

const PATIENCE_MS = 15 * 60_000;
const REMEMBERED = 500;
// Slack answers so in an outage, and where it cannot draw the blocks.
const OWN_FAULTS: ReadonlySet<string> = new Set(['internal_error', 'fatal_error']);

type Refused = { readonly at: number; readonly waitedMs: number; readonly taken: number };

/** Finds the messages whose blocks make Slack fail. */
export type Stubborn = {
  /** Slack took a message. */
  accept(key: string | undefined): void;
  /** Slack did not. Answers whether it has refused this one for so long, and took other calls meanwhile, that it is due to the blocks. */
  refuse(key: string | undefined, code: string): Promise<boolean>;
};

/** `isUp` asks Slack something else: for when no other message is sent meanwhile. */
export function createStubborn(clock: Pick<Clock, 'monotonic'>, isUp: () => Promise<boolean>): Stubborn {
  const known = createBoundedMap<Refused>(REMEMBERED);
  let taken = 0;
  return {
    accept(key) {
      taken += 1;
      if (key !== undefined) known.delete(key);
    },
    async refuse(key, code) {
      if (key === undefined || !OWN_FAULTS.has(code)) return false;
      const last = known.get(key);
      const at = clock.monotonic();
      // An outage uses up no patience.
      const counts = last !== undefined && (taken > last.taken || (await isUp()));
      const waitedMs = (last?.waitedMs ?? 0) + (counts ? at - last.at : 0);
      known.set(key, { at, waitedMs, taken });
      return waitedMs >= PATIENCE_MS;
    },
  };
}
