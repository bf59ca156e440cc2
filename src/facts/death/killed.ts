import type { Fact } from '../../model/fact.ts';
import type { KernelKill, KernelReading, KernelTask } from '../../read/kernel/kernel.ts';
import { fact, type Group, ratio } from '../draft.ts';
import { alike, isAlike, ownOf } from '../ram/same-size.ts';

/** What the kernel shows of the process that it killed, and of those beside it. */
export function deriveKilled(kernel: KernelReading): Group {
  return {
    'kernel.equal-tasks': kernel.tasks.length === 0 ? undefined : countOf(alike(kernel.tasks), kernel.tasks),
    'kernel.killed-share': killedShare(kernel),
  };
}

// On a node the table holds everybody's processes: who filled it is of one name and size with the one that had to go, and
// has most.

// No machine with a card of an inference engine has less RAM: a few small processes in a table that people cut did not fill it.

// A table does not tell whose a process is: one of the name of the killed one may be of another pod, and of another size then.
function likeKilled(tasks: readonly KernelTask[], victim: KernelKill): readonly KernelTask[] {
  const same = alike(tasks).filter(({ name }) => name === victim.name);
  const own = tasks.find(({ pid }) => pid === victim.pid)?.own ?? victim.anonRss;
  return own === undefined || same.length === 0 || isAlike(own, same) ? same : [];
}

// Of one that a table lacks, as where it was cut, and of one whose number was taken out nothing is told.
function killedShare({ tasks, victim }: KernelReading): Fact | undefined {
  if (victim === undefined) return undefined;
  const same = likeKilled(tasks, victim);
  const counted = same.length > 0 ? same : tasks.filter(({ pid }) => pid === victim.pid);
  if (counted.length === 0) return undefined;
  const held = counted.reduce((sum, task) => sum + heldBy(task, victim), 0);
  return fact(
    ratio(held, held + ownOf(tasks) - ownOf(counted)),
    counted.map(({ from }) => from),
  );
}

// What it shares counts as its own, as pinned copies of weights do; pages of files do not.
function heldBy({ pid, own, rss }: KernelTask, { pid: killed, fileRss }: KernelKill): number {
  return pid === killed && fileRss !== undefined ? Math.max(own, rss - fileRss) : own;
}

function countOf(same: readonly KernelTask[], tasks: readonly KernelTask[]): Fact | undefined {
  return fact(
    same.length,
    (same.length > 0 ? same : tasks.slice(0, 1)).map(({ from }) => from),
  );
}
