import type { Cause } from '../../../model/taxonomy.ts';
import { GOES_ON } from './of-no-weight.ts';
import { asContext, isBelow, type Weighed } from './weighed.ts';

// These are printed by engines that run on: a refused request or a preempted one ends nothing, so they
// decide only where nothing else does.
const LESSER: ReadonlySet<Cause> = new Set(['none.request-rejected', 'none.preemption-warning']);

/** A line that an engine prints and runs on. */
export function isLesser({ phrase }: Pick<Weighed, 'phrase'>): boolean {
  const cause = phrase.causes[0];
  return cause !== undefined && LESSER.has(cause);
}

/** What ended beside the lines that are weighed: the container, and the runs above in the same log. */
export type Ended = { readonly exitCode: number | undefined; readonly above: readonly Weighed[] };

/**
 * The hits, where a line of something else than memory counts for nothing once the engine is seen at work below it: an
 * error that it was not, a warning of its start, or one request. A request that was refused stays what there is to tell
 * as long as nothing ended, and so does a device that is missing.
 */
export function withoutPassed(all: readonly Weighed[], ended: Ended): Weighed[] {
  return all.map((told) => {
    if (!isOfElse(told)) return told;
    const below = all.filter((one) => isBelow(one, told));
    return isPassed(told, below, ended) ? asContext(told) : told;
  });
}

function isPassed(told: Weighed, below: readonly Weighed[], { exitCode, above }: Ended): boolean {
  const died = below.find(isEnd);
  const worked = below.some((one) => isAtWork(one) && one.hit.line < (died?.hit.line ?? Number.POSITIVE_INFINITY));
  const failed = died !== undefined || (exitCode !== undefined && exitCode !== 0);
  if (NO_DEVICE.test(told.phrase.id)) return worked && failed;
  if (!isLesser(told)) return worked;
  if (below.some(({ phrase }) => KILLED.test(phrase.id))) return true;
  if (told.phrase.causes[0] !== 'none.request-rejected') return false;
  return bySignal(exitCode) || (worked && failed) || above.some((one) => isEnd(one) || isProof(one));
}

// ggml runs on the processor where it finds no device: what is wrong with it is still that.
const NO_DEVICE = /^cuda\.(?:no|invalid)-device$/;

// No request that is refused ends a process by a signal: 128 and its number (POSIX, exit status of a command).
const SIGNAL = 128;

function bySignal(exitCode: number | undefined): boolean {
  return exitCode !== undefined && exitCode > SIGNAL;
}

const KILLED = /^host\.killed-word(?:\.translated)?$/;
const DIES = /\.die\.|^ray\.actor-died$/;

// The end of a process: its own word, or that of one that saw it.
function isEnd({ phrase }: Weighed): boolean {
  return KILLED.test(phrase.id) || DIES.test(phrase.id);
}

function isProof({ phrase }: Weighed): boolean {
  return phrase.weight === 'proof' && (phrase.plane === 'gpu' || phrase.plane === 'host');
}

function isOfElse({ phrase }: Weighed): boolean {
  return phrase.plane === 'none' && (phrase.weight === 'strong' || phrase.weight === 'rules-out');
}

const STATS = /\.run\.stats/;

// An engine that hangs writes its figures, too: those that show nothing generated tell nothing.
function isAtWork({ phrase, hit }: Weighed): boolean {
  if (!GOES_ON.test(phrase.id)) return false;
  return !STATS.test(phrase.id) || Number(hit.captures.genTps ?? hit.captures.running) > 0;
}
