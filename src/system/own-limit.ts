import type { Clock, Limit } from '../app/ports.ts';

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
