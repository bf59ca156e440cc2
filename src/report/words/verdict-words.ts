import type { Facts } from '../../model/fact.ts';
import { capital } from '../../model/format-value.ts';
import type { Mark } from '../../model/message.ts';
import { tablesInForce } from '../../model/reference-tables.ts';
import type { Bucket, Cause, Phase, Plane } from '../../model/taxonomy.ts';
import type { Diagnosis, Verdict } from '../../model/verdict.ts';
import { type WhoseRam, whoseRam } from './ram-owner.ts';
import { knownNumber, knownValue } from './report-input.ts';

import { timeOf } from './span-words.ts';

// Of a node that ran out, `container RAM` would be wrong.
const RAM: Readonly<Record<WhoseRam, string>> = {
  container: 'container RAM',
  node: 'RAM of the node',
  unstated: 'RAM',
};

const PLANES: Readonly<Record<Exclude<Plane, 'host' | 'both'>, string>> = {
  gpu: 'GPU memory ran out',
  none: 'not a memory failure',
  unknown: 'no data on which memory failed',
};

/** When a memory ran out, to go behind what did. */
export const PHASE_WORDS: Readonly<Record<Phase, string>> = {
  startup: ' at startup',
  burst: ' under load',
  chronic: ' over time',
  'prefix-cache': ' with the prefix cache full',
  'n/a': '',
};

/** A cause in words. */
export function causeWords(cause: Cause): string {
  return tablesInForce().words.causes[cause];
}

/** Certain that nothing failed, and nothing to do: two lines tell it. */
export function isHealthy({ verdict, next }: Pick<Diagnosis, 'verdict' | 'next'>): boolean {
  return verdict.plane === 'none' && verdict.certain && verdict.remedies.length === 0 && next.length === 0;
}

const CUDA = /\bCUDA\b|torch\.(?:cuda\.)?OutOfMemoryError/;

/** `CUDA OOM` where a line of the proof says so; other devices have other names for it. */
export function gpuOomWord({ evidence }: Pick<Verdict, 'evidence'>): string {
  const lines = evidence.flatMap(({ from }) => from.flatMap((one) => (one.kind === 'line' ? [one.text] : [])));
  return lines.some((line) => CUDA.test(line)) ? 'CUDA OOM' : 'GPU OOM';
}

/** The sign in front of a headline: bad only where it is proven. */
export function markOf(diagnosis: Pick<Diagnosis, 'verdict' | 'next'>): Mark {
  const { plane, certain } = diagnosis.verdict;
  if (isHealthy(diagnosis)) return 'ok';
  if (plane === 'unknown') return 'unknown';
  if (plane === 'none') return 'info';
  return certain ? 'bad' : 'warn';
}

/** Of two memories that failed in turn: each with its own time; undefined of any other verdict. */
export function endsOf(
  verdict: Pick<Verdict, 'plane' | 'cause'>,
  facts: Facts,
  show: ShowTime = inParentheses,
): string | undefined {
  return verdict.plane === 'both' ? twoEnds(facts, ramOf(verdict, facts), show) : undefined;
}

function failedOf(verdict: Pick<Verdict, 'plane' | 'cause'>, facts?: Facts): string {
  if (verdict.plane === 'both') return `${ramOf(verdict, facts)} and GPU memory both ran out`;
  return verdict.plane === 'host' ? `${ramOf(verdict, facts)} ran out` : PLANES[verdict.plane];
}

function ramOf(verdict: Pick<Verdict, 'plane' | 'cause'>, facts?: Facts): string {
  const whose = whoseRam(verdict, facts);
  return `${whose === 'node' ? 'the ' : ''}${RAM[whose]}`;
}

/** The verdict in a line: `GPU memory ran out at startup: the weights do not fit on the GPU`. */
export function headlineOf({ plane, phase, cause }: { plane: Plane; phase: Phase; cause: Cause }): string {
  const when = plane === 'none' ? '' : PHASE_WORDS[phase];
  // The phase is that of the first of two.
  const what = `${failedOf({ plane, cause })}${plane === 'both' && when !== '' ? `, the first${when}` : when}`;
  const why = cause === 'unknown' ? '' : `: ${causeWords(cause)}`;
  const text =
    plane === 'unknown' && cause !== 'unknown' ? `${what} (best guess: ${causeWords(cause)})` : `${what}${why}`;
  return capital(text);
}

const HOLDS: Readonly<Record<Bucket, string>> = {
  static: 'weights, fixed allocations',
  'kv-cache': 'KV cache',
  overhead: 'activations, graphs, fragmentation',
  host: 'RAM',
  scheduling: 'scheduling and evictions',
  other: 'not memory, or unknown',
};

/** The word under which a handover files an incident, in the words of a sentence. */
export function categoryWords(bucket: Bucket): string {
  if (bucket === 'kv-cache' || bucket === 'host') return HOLDS[bucket];
  return `${bucket} (${HOLDS[bucket]})`;
}

/** The word under which a handover files an incident, with what belongs to it. */
export function bucketWords(bucket: Bucket): string {
  return `category: ${bucket} (${HOLDS[bucket]})`;
}

const LIVES: Readonly<Record<string, string>> = { starting: ' at startup', serving: ' while serving' };
const HOUR_MS = 3_600_000;

/**
 * Two memories that failed in turn, each with its own time of life and its own hour, where they are known: `GPU memory ran out
 * while serving (…), then container RAM while it loaded the weights again (…)`. Undefined where the order is not known.
 */
function twoEnds(facts: Facts, ram: string, show: ShowTime): string | undefined {
  const order = knownValue(facts, 'sequence.order');
  if (order !== 'gpu-then-host' && order !== 'host-then-gpu') return undefined;
  const memories = ['GPU memory', ram];
  const [first, second] = order === 'gpu-then-host' ? memories : memories.toReversed();
  const [firstAt = '', secondAt = ''] = timesOf(facts, order).map((at) => (at === undefined ? '' : show(at)));
  const life = LIVES[String(knownValue(facts, 'sequence.first-life'))] ?? '';
  return `${first} ran out${life}${firstAt}, then ${second}${secondAt}`;
}

// A time without its zone, which stands hours off or the wrong way round, tells nobody anything.
function timesOf(facts: Facts, order: 'gpu-then-host' | 'host-then-gpu'): readonly (number | undefined)[] {
  const ats = ['gpu.oom-at', 'sequence.host-at'].map((id) => knownNumber(facts, id));
  const [first, second] = order === 'gpu-then-host' ? ats : ats.toReversed();
  if (first === undefined || second === undefined) return [first, second];
  const between = second - first;
  return between < 0 || between > HOUR_MS ? [] : [first, second];
}

type ShowTime = (at: number) => string;

function inParentheses(at: number): string {
  const words = timeOf(at)?.words;
  return words === undefined ? '' : ` (${words})`;
}

/** ` at 09:12 UTC`; empty for what is no time. */
export function atMinute(at: number): string {
  const words = timeOf(at)?.words;
  return words === undefined ? '' : ` at ${words.slice(11, 16)} UTC`;
}

/** What a value that is a name for scripts stands for: a word of its fact, a cause, a milestone, a memory (or two in their order) or what rows are of; undefined for any other. */
export function valueWords(value: string, fact: string): string | undefined {
  const { causes, milestones, values, valuesOf } = tablesInForce().words;
  return new Map(Object.entries({ ...values, ...milestones, ...causes, ...valuesOf[fact] })).get(value);
}
