import type { Cause } from '../../model/taxonomy.ts';
import type { Evidence } from './evidence.ts';
import { isSameReport, type Weighed } from './weigh.ts';

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
export function causeInLife({ signature }: Pick<Weighed, 'signature'>, life: Life | undefined): Cause | undefined {
  if (signature.plane === 'none') return signature.causes[0];
  const fitting = life === undefined ? undefined : signature.causes.find((cause) => isOfLife(cause, life));
  return fitting ?? signature.causes[0];
}

// The allocator's own line names no cause; the engine often does in the next ones, be it only in a notice that leaves the plane
// open: what a step of the start lacked on the device has another cause than what it lacked in RAM.
export function causeInReport(
  { all }: Evidence['weighing'],
  decisive: Weighed,
  life: Life | undefined,
): Cause | undefined {
  const { plane } = decisive.signature;
  const inReport = all.filter((weighed) => isSameReport(weighed, decisive) && weighed.signature.causes.length > 0);
  const named =
    inReport.find(({ signature }) => signature.plane === plane && signature.weight === 'proof') ??
    inReport.find(({ signature }) => signature.plane === plane && signature.weight === 'strong');
  if (named !== undefined) return causeInLife(named, life);
  return inReport
    .filter(({ signature }) => signature.plane === 'unknown' && signature.phase === 'startup')
    .flatMap(({ signature }) => signature.causes)
    .find((cause) => cause.startsWith(`${plane}.`));
}
