export type WorkQueue = {
  add(work: () => Promise<void>): void;
  /** Ends when nothing runs; what has not begun is left alone. */
  stop(): Promise<void>;
};

/** Runs work in the order in which it came, `most` at a time. The work never rejects. */
export function createWorkQueue(most: number): WorkQueue {
  const waiting: (() => Promise<void>)[] = [];
  const running = new Set<Promise<void>>();
  const next = (): void => {
    while (running.size < most) {
      const work = waiting.shift();
      if (work === undefined) return;
      const one: Promise<void> = work().finally(() => {
        running.delete(one);
        next();
      });
      running.add(one);
    }
  };
  return {
    add(work) {
      waiting.push(work);
      next();
    },
    async stop() {
      waiting.length = 0;
      await Promise.all(running);
    },
  };
}
