import type { Backend } from 'openworkflow/internal';
import type { Clock, Log } from '../app/ports.ts';

/** Failures in a row; a lease that is not renewed twice is lost to another replica. */
export type EngineHealth = { readonly heartbeats: number; readonly polls: number };

type Watched = { readonly backend: Backend; readonly health: () => EngineHealth };

const BUSY_MS = 10_000;
const RETRY_MS = 10;
// Primary result codes of SQLite: busy and locked.
const LOCKED = new Set([5, 6]);

/**
 * A backend that waits where SQLite is locked, without holding the process up: our own transactions are in the same
 * process, and SQLite's own wait would never see them end. The engine itself gives a run up on the first such fault.
 * Beats and polls that fail are counted, which the engine only prints.
 */
export function watchBackend(inner: Backend, { clock, log }: { readonly clock: Clock; readonly log: Log }): Watched {
  const health = { heartbeats: 0, polls: 0 };
  const counted = {
    async extendWorkflowRunLease(...params: Parameters<Backend['extendWorkflowRunLease']>) {
      try {
        const run = await patiently(clock, () => inner.extendWorkflowRunLease(...params));
        health.heartbeats = 0;
        return run;
      } catch (error) {
        health.heartbeats += 1;
        throw error;
      }
    },
    async claimWorkflowRun(...params: Parameters<Backend['claimWorkflowRun']>) {
      try {
        const run = await patiently(clock, () => inner.claimWorkflowRun(...params));
        health.polls = 0;
        return run;
      } catch (error) {
        if (health.polls === 0) log.warn('engine cannot look for work', { error });
        health.polls += 1;
        // No work is what it can do about it; the engine would print the fault every second.
        return null;
      }
    },
  };
  const backend = new Proxy(inner, {
    get(target, name) {
      if (Object.hasOwn(counted, name)) return Reflect.get(counted, name);
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => patiently(clock, async () => Reflect.apply(value, target, args));
    },
  });
  return { backend, health: () => ({ ...health }) };
}

async function patiently<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  const until = clock.now() + BUSY_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isLocked(error) || clock.now() >= until) throw error;
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
