import type { Clock } from '../app/ports.ts';

/** Does something now and every so many ms until stopped; `stop` ends once none of it is running. `work` never rejects. */
export function repeat(clock: Clock, everyMs: number, work: () => Promise<void>): { stop(): Promise<void> } {
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
