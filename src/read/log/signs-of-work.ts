import type { Hit } from '../../model/log-reading.ts';
import type { Phrase } from '../../model/phrase.ts';
import type { Cause } from '../../model/taxonomy.ts';

type OfCauses = { readonly causes: readonly Cause[] };

const UP = /^phase\.(?:\w+-ready|vllm-serving)$/;
const SERVED = /^phase\.\w+-served$/;
// What an engine writes of what it does, again and again.
const FIGURES = /\.run\.stats|\.num\.decode-batch$/;

/** Whether a phrase shows an engine that is up, or at work: what stands above it did not end it. */
export function goesOn(id: string): boolean {
  return UP.test(id) || SERVED.test(id) || FIGURES.test(id);
}

/** Whether a line shows an engine at work. One that hangs writes its figures, too: those with nothing generated tell nothing. */
export function isAtWork({ id, captures }: Pick<Hit, 'id' | 'captures'>): boolean {
  return SERVED.test(id) || (FIGURES.test(id) && Number(captures.genTps ?? captures.running ?? 1) > 0);
}

/** Whether a line shows an engine that is up, or at work. */
export function showsLife(hit: Pick<Hit, 'id' | 'captures'>): boolean {
  return UP.test(hit.id) || isAtWork(hit);
}

/** The word of a process, or of one that saw it, that it died of what it tells. */
export const DIES = /\.die\.|^ray\.actor-died$/;

// A shell, a server that waits for its runner, a launcher, and the parent of a stub see the signal alone.
const SIGNALLED =
  /^host\.(?:signal-killed|killed-word(?:\.translated)?)$|^tgi\.shard\.(?:signal|bus-error)|^triton\.stub$|^native\.crash$/;

/** Whether a phrase tells of a process that a signal ended. */
export function isEndBySignal(id: string): boolean {
  return SIGNALLED.test(id);
}

/** Whether a phrase tells that a process ended. */
export function isEndOfProcess(id: string): boolean {
  return DIES.test(id) || isEndBySignal(id);
}

// These are printed by engines that run on: a refused request or a preempted one ends nothing.
const RUNS_ON: ReadonlySet<Cause> = new Set(['none.request-rejected', 'none.preemption-warning']);

/** Whether a phrase tells of what ends no process. */
export function endsNothing({ causes }: OfCauses): boolean {
  const cause = causes[0];
  return cause !== undefined && RUNS_ON.has(cause);
}

/** A build for several devices, and a check of what is there, say that a driver or a device is missing, and mostly go on without. */
export function lacksDriver({ causes }: OfCauses): boolean {
  return causes[0] === 'none.driver';
}

/** Whether a phrase tells of a failure that settles which memory it was, or that it was none. */
export function isFailure(phrase: Phrase | undefined): boolean {
  if (phrase === undefined || phrase.plane === 'unknown' || endsNothing(phrase) || lacksDriver(phrase)) return false;
  return isWeighty(phrase) || phrase.weight === 'rules-out';
}

/** Whether a phrase settles the plane by itself, or unless a proof says otherwise. */
export function isWeighty({ weight }: Phrase): boolean {
  return weight === 'proof' || weight === 'strong';
}
