import type { Fact } from '../../model/fact.ts';
import { known } from '../../read/reading.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit } from '../evidence/weigh.ts';

// LMCache, the store of Mooncake and Triton's pools of buffers take their memory at the start and nothing for what is too much.
const FULL = /^(?:lmcache\.pool-full|mooncake\.(?:store|put)-full|triton\.(?:pool-falls-back|pinned-full))$/;
const FEW = 3;

/** Whether a cache or a pool of buffers beside the engine's own says that it is full, and that it goes on without. */
export function readSidePool({ weighing }: Pick<Evidence, 'weighing'>): Fact | undefined {
  const hits = weighing.all.filter(({ phrase }) => FULL.test(phrase.id));
  return hits.length > 0 ? known(true, ...hits.slice(0, FEW).map(citeHit)) : undefined;
}
