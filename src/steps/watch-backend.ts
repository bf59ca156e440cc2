import type { Backend } from 'openworkflow/internal';
import type { Clock, Log } from '../app/ports.ts';

const BUSY_MS = 10_000;
const RETRY_MS = 10;
// Primary result codes of SQLite: busy and locked.
const LOCKED = new Set([5, 6]);

/**
 * A backend that waits where SQLite is locked, without holding the process up: our own transactions are in the same
 * process, and SQLite's own wait would never see them end. The engine itself gives a run up on the first such fault.
 */
export function watchBackend(inner: Backend, { clock, log }: { readonly clock: Clock; readonly log: Log }): Backend {
  let isFailing = false;
  const own = {
    async claimWorkflowRun(...params: Parameters<Backend['claimWorkflowRun']>) {
      try {
        const run = await patiently(clock, () => inner.claimWorkflowRun(...params));
        isFailing = false;
        return run;
      } catch (error) {
        if (!isFailing) log.warn('workflow engine cannot look for work', { error });
        isFailing = true;
        // No work is what it can do about it; the engine would print the fault every second.
        return null;
      }
    },
  };
  return new Proxy(inner, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name);
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => patiently(clock, async () => Reflect.apply(value, target, args));
    },
  });
}

async function patiently<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  const until = clock.monotonic() + BUSY_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isLocked(error) || clock.monotonic() >= until) throw error;
    }
    await clock.sleep(RETRY_MS);
  }
}

function isLocked(error: unknown): boolean {
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    LOCKED.has(error.errcode & 0xff)
  );
}
