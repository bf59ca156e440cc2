import { GIB } from '../../model/quantity.ts';

// Duplicated workers are all of one size; staging shows one giant among small siblings.
const NEARLY = 0.7;
// The processes of an engine are forked from one another and hold the same libraries before any of them loads: half a
// gibibyte to one for vLLM 0.32 with PyTorch 2.13, as a kernel counted them.
const LIBRARIES = GIB;

type Process = { readonly own: number };

/** Processes of nearly the size of the largest, by their own memory in bytes and beyond libraries. */
export function alike<T extends Process>(processes: readonly T[]): readonly T[] {
  return processes.filter(({ own }) => isAlike(own, processes) && own > LIBRARIES);
}

/** Whether a process of `own` bytes is nearly of the size of the largest of others. */
export function isAlike(own: number, others: readonly Process[]): boolean {
  return own >= Math.max(0, ...others.map((one) => one.own)) * NEARLY;
}

/** What processes hold of their own together, in bytes. */
export function ownOf(processes: readonly Process[]): number {
  return processes.reduce((sum, { own }) => sum + own, 0);
}
