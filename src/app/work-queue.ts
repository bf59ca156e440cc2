export type Work = {
  /** Of one group as many run at once as the queue allows. */
  readonly group: string;
  /** Of one lane one runs at a time. */
  readonly lane?: string | undefined;
  /** Never rejects. */
  run(): Promise<void>;
};

export type WorkQueue = {
  /** Answers false where too much waits: it is not taken. */
  add(work: Work): boolean;
  /** Ends when nothing runs; what has not begun is left alone. */
  stop(): Promise<void>;
};

/** Runs work in the order in which it came, as far as groups and lanes are free. */
export function createWorkQueue({ most, waiting: room }: { most: number; waiting: number }): WorkQueue {
  const waiting: Work[] = [];
  const running = new Map<Work, Promise<void>>();
  const isFree = ({ group, lane }: Work): boolean => {
    const active = [...running.keys()];
    if (active.filter((one) => one.group === group).length >= most) return false;
    return lane === undefined || !active.some((one) => one.group === group && one.lane === lane);
  };
  const next = (): void => {
    for (let i = waiting.findIndex(isFree); i >= 0; i = waiting.findIndex(isFree)) {
      const [work] = waiting.splice(i, 1);
      if (work === undefined) return;
      const ended = work.run().finally(() => {
        running.delete(work);
        next();
      });
      running.set(work, ended);
    }
  };
  return {
    add(work) {
      if (waiting.length >= room) return false;
      waiting.push(work);
      next();
      return true;
    },
    async stop() {
      waiting.length = 0;
      await Promise.all(running.values());
    },
  };
}
