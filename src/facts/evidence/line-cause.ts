import type { Cause } from '../../model/taxonomy.ts';
import type { Evidence } from './evidence.ts';
import { isBeside, type Weighed } from './weigh.ts';

/** What the engine did when it failed. */
export type Life = 'starting' | 'serving';

const PHASES: Readonly<Record<Life, RegExp>> = { starting: /\.startup\./, serving: /\.(?:burst|chronic)\./ };

/** Whether a cause belongs to a start, or to work. */
export function isOfLife(cause: Cause, life: Life): boolean {
  return PHASES[life].test(cause);
}

/**
 * Of the causes that a line can have, the first that fits the time of life; the first of all where none does. What is not
 * memory has no time of life: a cause of memory behind it is what it may have been.
 */
export function causeInLife({ phrase }: Pick<Weighed, 'phrase'>, life: Life | undefined): Cause | undefined {
  if (phrase.plane === 'none') return phrase.causes[0];
  const fitting = life === undefined ? undefined : phrase.causes.find((cause) => isOfLife(cause, life));
  return fitting ?? phrase.causes[0];
}

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
