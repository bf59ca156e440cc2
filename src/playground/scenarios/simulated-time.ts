import type { Clock } from '../../app/ports.ts';

const TICK_MS = 250;

/** Time that runs at a speed next to that of `outside`, and can be moved. At 0 only `advance` moves it. */
export type SimulatedTime = {
  readonly clock: Clock;
  advance(ms: number): void;
  setSpeed(speed: number): void;
  /** Calls back four times a second of real time, unless time stands still; answers what ends it. */
  tick(callback: () => void): () => void;
};

export function createSimulatedTime(outside: Clock, initialSpeed: number): SimulatedTime {
  let speed = initialSpeed;
  let base = { simulated: outside.now(), outside: outside.monotonic() };
  const passed = (): number => (outside.monotonic() - base.outside) * speed;
  const now = (): number => base.simulated + passed();
  const sleepers = new Set<{ readonly wakesAt: number; readonly woken: AbortController }>();
  const wake = (): void => {
    for (const sleeper of sleepers) if (sleeper.wakesAt <= now()) sleeper.woken.abort();
  };
  const rebase = (simulated: number): void => {
    base = { simulated, outside: outside.monotonic() };
  };
  const begun = now();
  let furthest = 0;
  return {
    clock: {
      now: () => Math.floor(now()),
      // Each word of the time is a little late when it arrives, and sets `now` back by that.
      monotonic: () => {
        furthest = Math.max(furthest, now() - begun);
        return furthest;
      },
      breathe: outside.breathe,
      // Answers on loopback take real time.
      limit: outside.limit,
      async sleep(ms, signal) {
        const sleeper = { wakesAt: now() + ms, woken: new AbortController() };
        sleepers.add(sleeper);
        try {
          while (now() < sleeper.wakesAt && !sleeper.woken.signal.aborted) {
            const left = speed === 0 ? LONG_MS : Math.min(LONG_MS, (sleeper.wakesAt - now()) / speed);
            const either = AbortSignal.any([sleeper.woken.signal, ...(signal === undefined ? [] : [signal])]);
            await outside.sleep(left, either).catch(() => signal?.throwIfAborted());
          }
        } finally {
          sleepers.delete(sleeper);
        }
      },
    },
    advance(ms) {
      rebase(now() + ms);
      wake();
    },
    setSpeed(next) {
      rebase(now());
      speed = next;
      // Sleepers compute the rest of their time again.
      wake();
    },
    tick(callback) {
      const timer = setInterval(() => {
        if (speed > 0) callback();
      }, TICK_MS);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

// How long a change of speed may go unnoticed by those who sleep.
const LONG_MS = 1000;
