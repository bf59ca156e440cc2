import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { GIB, KIB } from '../../model/quantity.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { containersOf } from '../../read/cluster/gather.ts';
import type { KernelKill, KernelReading, KernelTask } from '../../read/kernel/kernel.ts';
import { known } from '../../read/reading.ts';
import { defineFacts } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit } from '../evidence/weigh.ts';
import { computed, fact, factOf, ratio, uniqueProof } from '../log/draft.ts';
import { KERNEL } from '../log/needs.ts';

/** A kill by the kernel, and what its report shows of the processes. */
export const KERNEL_KILL = defineFacts(
  {
    'kernel.oom-kill': {
      unit: 'choice',
      values: ['container', 'pod', 'node', 'numa-nodes', 'unstated', 'no'],
      says: 'OOM kill by the kernel, at the limit of',
      needs: KERNEL,
    },
    'kernel.shmem': {
      unit: 'bytes',
      says: 'shared memory of the full cgroup, else of the killed process',
      needs: KERNEL,
    },
    'kernel.anon': {
      unit: 'bytes',
      says: 'private memory of the full cgroup, else of the killed process',
      needs: KERNEL,
    },
    'kernel.shmem-share': {
      unit: 'share',
      says: 'shared memory as a share of shared and private memory, by the kernel',
      needs: KERNEL,
    },
    'kernel.equal-tasks': {
      unit: 'count',
      says: 'processes about as large as the largest one, by the task table of the kernel',
      needs: KERNEL,
    },
    'kernel.killed-share': {
      unit: 'share',
      says: 'share of the RAM of all processes held by those of the killed one, by the task table of the kernel',
      needs: `the task table in ${KERNEL}`,
    },
  },
  (evidence) => {
    const kernel = evidence.kernel?.evidenceLines === 0 ? undefined : evidence.kernel;
    const { shmem, anon } = kernel ?? sizesElsewhere(evidence);
    return {
      'kernel.oom-kill': (kernel && killOf(kernel, evidence)) ?? killByEvents(evidence) ?? killCounted(evidence),
      'kernel.shmem': factOf(shmem),
      'kernel.anon': factOf(anon),
      'kernel.shmem-share': computed([shmem, anon], (shared, own) => ratio(shared, shared + own)),
      'kernel.equal-tasks': kernel && equalTasks(kernel),
      'kernel.killed-share': kernel && killedShare(kernel),
    };
  },
);

function killOf({ kind, victim }: KernelReading, { pod }: Evidence): Fact | undefined {
  if (kind === 'none' || victim === undefined) return undefined;
  // The limit of a pod is the sum of its containers' limits: with one container it is that one's.
  const isShared = containersOf(pod).filter((one) => one.kind !== 'init').length > 1;
  return fact(kind === 'pod' && !isShared ? 'container' : kind, uniqueProof(victim.from));
}

function killByEvents({ nodeKills: { ofNode, ofContainer } }: Evidence): Fact | undefined {
  const kills = ofNode.length > 0 ? ofNode : ofContainer;
  return fact(
    ofNode.length > 0 ? 'node' : 'container',
    kills.map(({ from }) => from),
  );
}

// `oom_kill` counts every kill of a process in the group, whoever ran out (Documentation/admin-guide/cgroup-v2.rst).
function killCounted({ weighing }: Evidence): Fact | undefined {
  const counted = [...weighing.all, ...weighing.noted].find(
    ({ signature }) => hasRole(signature, 'kills-counted') && signature.weight !== 'hint',
  );
  return counted && known('unstated', citeHit(counted));
}

type Sizes = { readonly anon: Cited<number> | undefined; readonly shmem: Cited<number> | undefined };

// Of a group as a whole; what a log, a GPU or a process is called next to it is another.
// Where nobody kept the kernel's log: in the line of the kill that stands in the log of the container.
function sizesElsewhere({ weighing }: Evidence): Sizes {
  const kill = weighing.all.findLast(({ signature }) => hasRole(signature, 'kill-report'));
  if (kill !== undefined) {
    const size = (name: string): Cited<number> | undefined => {
      const digits = new RegExp(`\\b${name}-rss:(\\d{1,15})kB`).exec(kill.hit.clean)?.[1];
      return digits === undefined ? undefined : { value: Number(digits) * KIB, from: citeHit(kill) };
    };
    return { anon: size('anon'), shmem: size('shmem') };
  }
  return { anon: undefined, shmem: undefined };
}

// Duplicated workers are all of one size; staging shows one giant among small siblings.
const NEARLY = 0.7;
// The processes of an engine are forked from one another and hold the same libraries before any of them loads: half a
// gibibyte to one for vLLM 0.32 with PyTorch 2.13, as a kernel counted them.
const LIBRARIES = GIB;

function equalTasks({ tasks }: KernelReading): Fact | undefined {
  const same = alike(tasks);
  const shown = same.length > 0 ? same : tasks.slice(0, 1);
  return fact(
    same.length,
    shown.map(({ from }) => from),
  );
}

function alike(tasks: readonly KernelTask[]): readonly KernelTask[] {
  return tasks.filter(({ own }) => isAlike(own, tasks) && own > LIBRARIES);
}

function isAlike(own: number, others: readonly KernelTask[]): boolean {
  return own >= Math.max(0, ...others.map((one) => one.own)) * NEARLY;
}

// Of one that a table lacks, as where it was cut, and of one whose number was taken out nothing is told.
function killedShare({ tasks, victim }: KernelReading): Fact | undefined {
  if (victim === undefined) return undefined;
  const same = likeKilled(tasks, victim);
  const counted = same.length > 0 ? same : tasks.filter(({ pid }) => pid === victim.pid);
  const held = counted.reduce((sum, task) => sum + heldBy(task, victim), 0);
  return fact(
    ratio(held, held + ownOf(tasks) - ownOf(counted)),
    counted.map(({ from }) => from),
  );
}

// A table does not tell whose a process is: one of the name of the killed one may be of another pod, and of another size then.
function likeKilled(tasks: readonly KernelTask[], victim: KernelKill): readonly KernelTask[] {
  const same = alike(tasks).filter(({ name }) => name === victim.name);
  const own = tasks.find(({ pid }) => pid === victim.pid)?.own ?? victim.anonRss;
  return own === undefined || same.length === 0 || isAlike(own, same) ? same : [];
}

// What it shares counts as its own, as pinned copies of weights do; pages of files do not.
function heldBy({ pid, own, rss }: KernelTask, { pid: killed, fileRss }: KernelKill): number {
  return pid === killed && fileRss !== undefined ? Math.max(own, rss - fileRss) : own;
}

function ownOf(tasks: readonly KernelTask[]): number {
  return tasks.reduce((sum, { own }) => sum + own, 0);
}
