import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../app/ports.ts';

/** The real time. Times and durations in ms; a sleep that is aborted rejects with the signal's own reason. */
export function createSystemClock(): Clock {
  return {
    now: () => Date.now(),
    async sleep(ms, signal) {
      try {
        await sleep(Math.max(0, ms), undefined, { signal });
      } catch (error) {
        // Node rejects with an AbortError of its own and keeps the reason as the cause.
        throw signal?.aborted ? signal.reason : error;
      }
    },
  };
}
