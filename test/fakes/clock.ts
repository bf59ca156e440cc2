import type { Clock } from '../../src/app/ports.ts';

type Sleeper = { readonly wakesAt: number; readonly wake: () => void };

/** A clock that stands still until it is told to move; `set` is a step of the wall clock, in which no time passes. `sleeping` counts those that wait. */
export type FakeClock = Clock & {
  advance(ms: number): Promise<void>;
  set(at: number): void;
  /** Time goes by, and wakes nobody. */
  pass(ms: number): void;
  readonly sleeping: number;
};

export const START = Date.UTC(2026, 0, 15, 3, 0, 0);

export function createFakeClock(start: number = START): FakeClock {
  let now = start;
  let passed = 0;
  const sleepers = new Set<Sleeper>();
  const move = (to: number): void => {
    now += Math.max(0, to - passed);
    passed = Math.max(passed, to);
  };
  return {
    now: () => now,
    monotonic: () => passed,
    breathe: async () => {},
    limit: (ms) => ({ signal: AbortSignal.timeout(ms), end: () => {} }),
    set: (at) => {
      now = at;
    },
    pass: (ms) => move(passed + ms),
    get sleeping() {
      return sleepers.size;
    },
    sleep: (ms, signal) => sleepOn(sleepers, passed + ms, signal),
    async advance(ms) {
      const end = passed + ms;
      // Sleepers that go to sleep again while time moves are woken in their turn.
      for (let next = earliest(sleepers, end); next !== undefined; next = earliest(sleepers, end)) {
        move(next.wakesAt);
        sleepers.delete(next);
        next.wake();
        await settle();
      }
      move(end);
      await settle();
    },
  };
}

function sleepOn(sleepers: Set<Sleeper>, wakesAt: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const sleeper = {
      wakesAt,
      wake: () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      },
    };
    const onAbort = () => {
      sleepers.delete(sleeper);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    sleepers.add(sleeper);
  });
}

function earliest(sleepers: ReadonlySet<Sleeper>, end: number): Sleeper | undefined {
  return [...sleepers].filter((s) => s.wakesAt <= end).sort((a, b) => a.wakesAt - b.wakesAt)[0];
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
