import type { Clock } from '../app/ports.ts';

export type Repeated = { stop(): Promise<void> };

/** Does work at the start and then after each pause until stopped; `stop` ends once the work has seen its signal and ended. The work never rejects. */
export function repeat(everyMs: number, clock: Clock, work: (signal: AbortSignal) => Promise<void>): Repeated {
  const end = new AbortController();
  const loop = async (): Promise<void> => {
    while (!end.signal.aborted) {
      await work(end.signal);
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
