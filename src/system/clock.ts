import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Limit } from '../app/ports.ts';

/** The real time. Times and durations in ms; a sleep that is aborted rejects with the signal's own reason. */
export function createSystemClock(): Clock {
  const breathe = createBreath();
  return {
    now: () => Date.now(),
    // `performance` would load what measures a whole process.
    monotonic: () => Number(process.hrtime.bigint()) / 1e6,
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

const SLICE_MS = 500;

/**
 * A limit for one answer that counts the time in which this process could have read it: a slice that a starved process
 * notices late counts as one slice, and what has arrived meanwhile is read before the end. The triage around it ends by
 * the clock on the wall.
 */
export function startLimit(ms: number, breathe: Clock['breathe']): Limit {
  const over = new AbortController();
  let isEnded = false;
  const count = (left: number): void => {
    const slice = Math.min(SLICE_MS, left);
    AbortSignal.timeout(slice).addEventListener('abort', () => {
      if (isEnded) return;
      if (left > slice) count(left - slice);
      else void breathe().then(() => over.abort(new DOMException('no answer in time', 'TimeoutError')));
    });
  };
  count(ms);
  return {
    signal: over.signal,
    end: () => {
      isEnded = true;
    },
  };
}
