import type { Fact } from '../../model/fact.ts';
import { known } from '../../read/reading.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit } from '../evidence/weigh.ts';

const PHRASES: ReadonlySet<string> = new Set(['cuda.ecc', 'kernel.off-the-bus', 'dcgm.fell-off']);
// ECC errors that could not be corrected (48, 94, 95, 140), a row that could not be remapped (64), a card off the bus (79):
// NVIDIA GPU debug guidelines, Xid errors. 63 is a remap that went well.
const XIDS: ReadonlySet<string> = new Set(['48', '64', '79', '94', '95', '140']);

/** Whether the line that decides tells of a fault of the card itself, which no restart takes away; known only where it does. */
export function readHardwareFault({ weighing: { decisive } }: Pick<Evidence, 'weighing'>): Fact | undefined {
  if (decisive === undefined) return undefined;
  const { phrase, hit } = decisive;
  const isOfCard = PHRASES.has(phrase.id) || XIDS.has(hit.captures.xid ?? '');
  return isOfCard ? known(true, citeHit(decisive)) : undefined;
}
