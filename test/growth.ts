// Of one that is linear the ratio is 8, of one that is quadratic 64.
export const FAR_FROM_QUADRATIC = 24;
const EIGHTH = 1 / 8;
// Below this a clock of the kernel tells little.
const LEAST_US = 2000;
const TRIES = 3;

/**
 * How many times the CPU time of an eighth of the input the whole costs, at best of three tries. Time of this thread alone:
 * it stays about the same on a busy machine.
 */
export function growthOf(work: (share: number) => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < TRIES && least >= FAR_FROM_QUADRATIC; i += 1) {
    const part = Math.max(
      LEAST_US,
      cpuOf(() => work(EIGHTH)),
    );
    least = Math.min(least, cpuOf(() => work(1)) / part);
  }
  return least;
}

/** The same for a text that is cut. */
export function growthWith(text: string, read: (text: string) => unknown): number {
  return growthOf((share) => read(text.slice(0, Math.ceil(text.length * share))));
}

function cpuOf(work: () => void): number {
  const from = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(from);
  return user + system;
}
