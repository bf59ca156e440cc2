import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../app/ports.ts';
import { startLimit } from './own-limit.ts';

/** The real time. Times and durations in ms; a sleep that is aborted rejects with the signal's own reason. */
export function createSystemClock(): Clock {
  const breathe = createBreath();
  return {
    now: () => Date.now(),
    breathe,
    limit: (ms) => startLimit(ms, breathe),
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

// All callbacks of setImmediate that wait run in one go: many readings that each only yielded would together hold up
// every acknowledgement. So one waiter goes on for each turn of the loop.
function createBreath(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const next = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(next);
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(next);
    });
}
