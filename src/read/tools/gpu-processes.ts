import type { Cited } from '../../model/engine-reader.ts';

/** A process that the driver lists on a GPU; `pid` undefined where the line is wrapped before it. */
export type GpuProcess = { readonly pid: number | undefined; readonly size: Cited<number> };

type GpuProcesses = {
  readonly own: Cited<number> | undefined;
  readonly ownPid: number | undefined;
  readonly others: readonly GpuProcess[];
  /** Numbers of processes that wrote into the log of the engine. */
  readonly spoke: ReadonlySet<number>;
};

type Owned = {
  /** What PyTorch holds, used or not, in bytes. */
  readonly torch: number;
  readonly allocated: Cited<number> | undefined;
  readonly own: Cited<number> | undefined;
  readonly spoke: ReadonlySet<number>;
};

/**
 * Which of the listed processes failed. In a container it stands in the list as well, under a number of the host that it
 * does not know: of the entries the one that fits what PyTorch owns is its own, and a single entry nearly always is.
 */
export function sortProcesses(all: readonly GpuProcess[], { torch, allocated, own, spoke }: Owned): GpuProcesses {
  // A process that stands in the list has a context at least: where the driver does not count (WSL, virtual GPUs) it says 0.
  const listed = all.filter(({ size }) => size.value > 0);
  // Behind a PID namespace the driver knows nothing of the caller: less than PyTorch itself holds is no figure.
  if (own !== undefined && own.value >= torch * 0.99) return { own, ownPid: undefined, others: listed, spoke };
  if (listed.length > 1 && allocated === undefined) return { own: undefined, ownPid: undefined, others: listed, spoke };
  // Printed sizes are rounded, so the own entry may be a little below what PyTorch owns.
  const fitting = listed
    .filter(({ size }) => size.value >= torch * 0.99)
    .toSorted((a, b) => a.size.value - b.size.value)[0];
  return { own: fitting?.size, ownPid: fitting?.pid, others: listed.filter((entry) => entry !== fitting), spoke };
}

/** Held by processes that are no ranks of the same launch; undefined where nothing is listed. */
export function foreignAmong(processes: GpuProcesses): Cited<number> | undefined {
  const { own, others } = processes;
  const first = others[0];
  if (first === undefined) return undefined;
  if (areContexts(others)) return { value: 0, from: first.size.from };
  const ranks = launchedTogether(processes);
  const rest = others.filter((entry) => !ranks.includes(entry));
  if (own === undefined && ranks.length === 0) {
    // One of them is the process that failed, and nothing shows which. At least all but the largest is other processes'.
    const sizes = others.map(({ size }) => size.value);
    return { value: sum(others) - Math.max(...sizes), from: first.size.from };
  }
  return { value: sum(rest), from: first.size.from };
}

/** Held on this GPU by other ranks of the launch that failed; undefined where the driver lists no process. */
export function ranksAmong(processes: GpuProcesses): Cited<number> | undefined {
  const { own, ownPid, others } = processes;
  const ranks = areContexts(others) ? others : launchedTogether(processes);
  const first = ranks[0];
  const listed = own ?? others[0]?.size;
  if (first === undefined) return listed && { value: 0, from: listed.from };
  // Where the one that failed is not known, it is one of them.
  const largest = Math.max(...ranks.map(({ size }) => size.value));
  const isListed = own === undefined && ownPid === undefined;
  return { value: sum(ranks) - (isListed ? largest : 0), from: first.size.from };
}

/** A context with its libraries. */
const CONTEXT = 2 * 2 ** 30;

// Several processes with a context of one size and no more are the other ranks of the engine itself.
function areContexts(others: readonly GpuProcess[]): boolean {
  const sizes = others.map(({ size }) => size.value);
  return sizes.length > 1 && Math.max(...sizes) <= CONTEXT && Math.min(...sizes) >= 0.95 * Math.max(...sizes);
}

// Ranks are forked one after the other; processes of two launches have numbers far apart.
const NEXT = 4;

function launchedTogether({ ownPid, others, spoke }: GpuProcesses): readonly GpuProcess[] {
  const named = others.filter(({ pid }) => pid !== undefined && spoke.has(pid));
  const pids = [...others.flatMap(({ pid }) => pid ?? []), ...(ownPid === undefined ? [] : [ownPid])];
  const ordered = pids.toSorted((a, b) => a - b);
  const near = new Set(ordered.filter((pid, i) => isNext(ordered[i - 1], pid) || isNext(pid, ordered[i + 1])));
  // If its own number is known, only adjacent ones belong to its launch.
  if (ownPid !== undefined && !near.has(ownPid)) return named;
  return others.filter((entry) => named.includes(entry) || (entry.pid !== undefined && near.has(entry.pid)));
}

function isNext(before: number | undefined, pid: number | undefined): boolean {
  return before !== undefined && pid !== undefined && pid - before > 0 && pid - before <= NEXT;
}

function sum(processes: readonly GpuProcess[]): number {
  return processes.reduce((total, { size }) => total + size.value, 0);
}
