import type { Clock } from '../app/ports.ts';

export type Repeated = { stop(): Promise<void> };

/** Does work at the start and then after each pause until stopped; `stop` ends once none is under way. The work never rejects. */
export function repeat(everyMs: number, clock: Clock, work: () => Promise<void>): Repeated {
  const end = new AbortController();
  const loop = async (): Promise<void> => {
    while (!end.signal.aborted) {
      await work();
      // Rejects when stopped, and then only.
      await clock.sleep(everyMs, end.signal).catch(() => undefined);
    }
  };
  const ended = loop();
  return {
    async stop() {
      end.abort();
      await ended;
    },
  };
}
