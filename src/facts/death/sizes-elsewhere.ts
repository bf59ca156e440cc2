import type { Cited } from '../../model/engine-reader.ts';
import { KIB } from '../../model/quantity.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit } from '../evidence/weigh.ts';

/** Private and shared memory by the kernel, bytes. */
export type Sizes = { readonly anon: Cited<number> | undefined; readonly shmem: Cited<number> | undefined };

const KILL = 'kernel.killed-process';
// Of a group as a whole; what a log, a card or a process is called beside it is another.
const OF_GROUP = { anon: /^(?:total_)?(?:anon|rss)$/, shmem: /^(?:total_)?shmem$/ };

/**
 * The same where nobody kept the kernel's log: in the line of the kill that stands in the log of the container, or as the
 * group counts it (`memory.stat`, Documentation/admin-guide/cgroup-v2.rst).
 */
export function sizesElsewhere(evidence: Evidence): Sizes {
  const kill = evidence.weighing.all.findLast(({ phrase }) => phrase.id === KILL);
  if (kill !== undefined) {
    const size = (name: string): Cited<number> | undefined => {
      const digits = new RegExp(`\\b${name}-rss:(\\d{1,15})kB`).exec(kill.hit.clean)?.[1];
      return digits === undefined ? undefined : { value: Number(digits) * KIB, from: citeHit(kill) };
    };
    return { anon: size('anon'), shmem: size('shmem') };
  }
  return { anon: ofGroup(evidence, OF_GROUP.anon), shmem: ofGroup(evidence, OF_GROUP.shmem) };
}

function ofGroup({ metrics }: Evidence, name: RegExp): Cited<number> | undefined {
  const told = (metrics?.figures ?? []).find(({ label, unit }) => unit === 'bytes' && name.test(label.trim()));
  return told && { value: told.value, from: told.from };
}
