import type { Cited } from '../../model/engine-reader.ts';
import { KIB } from '../../model/quantity.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit } from '../evidence/weigh.ts';

/** Private and shared memory by the kernel, bytes. */
export type Sizes = { readonly anon: Cited<number> | undefined; readonly shmem: Cited<number> | undefined };

const KILL = 'kernel.killed-process';

/** The same where nobody kept the kernel's log: in the line of the kill that stands in the log of the container. */
export function sizesElsewhere(evidence: Evidence): Sizes {
  const kill = evidence.weighing.all.findLast(({ phrase }) => phrase.id === KILL);
  if (kill !== undefined) {
    const size = (name: string): Cited<number> | undefined => {
      const digits = new RegExp(`\\b${name}-rss:(\\d{1,15})kB`).exec(kill.hit.clean)?.[1];
      return digits === undefined ? undefined : { value: Number(digits) * KIB, from: citeHit(kill) };
    };
    return { anon: size('anon'), shmem: size('shmem') };
  }
  return { anon: undefined, shmem: undefined };
}
