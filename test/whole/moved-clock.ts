import { createSystemClock } from '../../src/system/clock.ts';

/** The system's clock, whose sleeps also end once `Date` has moved past their end. */
export function createMovedClock() {
  const system = createSystemClock();
  const sleepers = new Map<AbortController, number>();
  return {
    ...system,
    monotonic: () => Date.now(),
    async sleep(ms: number, signal?: AbortSignal) {
      const moved = new AbortController();
      sleepers.set(moved, Date.now() + ms);
      const either = signal === undefined ? moved.signal : AbortSignal.any([signal, moved.signal]);
      await system.sleep(ms, either).catch(() => signal?.throwIfAborted());
      sleepers.delete(moved);
    },
    wake() {
      for (const [moved, end] of sleepers) if (end <= Date.now()) moved.abort();
    },
  };
}
