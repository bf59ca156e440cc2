export type Queue = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Lets work with the same key run one after the other, in the order in which it came. */
export function createQueue(): Queue {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    last.set(key, mine);
    const leave = () => {
      if (last.get(key) === mine) last.delete(key);
    };
    mine.then(leave, leave);
    return mine;
  };
}
