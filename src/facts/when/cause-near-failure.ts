import type { Cause } from '../../model/taxonomy.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { isBeside, type Weighed } from '../evidence/weigh.ts';
import { causeInLife } from './life.ts';
import type { Life } from './time-of-life.ts';

// The allocator's own line names no cause; the engine often does in the next ones, be it only in a notice that leaves the plane
// open: what a step of the start lacked on the device has another cause than what it lacked in RAM.
export function causeBeside(
  { all }: Evidence['weighing'],
  decisive: Weighed,
  life: Life | undefined,
): Cause | undefined {
  const { plane } = decisive.phrase;
  const beside = all.filter((weighed) => isBeside(weighed, decisive) && weighed.phrase.causes.length > 0);
  const named =
    beside.find(({ phrase }) => phrase.plane === plane && phrase.weight === 'proof') ??
    beside.find(({ phrase }) => phrase.plane === plane && phrase.weight === 'strong');
  if (named !== undefined) return causeInLife(named, life);
  return beside
    .filter(({ phrase }) => phrase.plane === 'unknown' && phrase.phase === 'startup')
    .flatMap(({ phrase }) => phrase.causes)
    .find((cause) => cause.startsWith(`${plane}.`));
}
