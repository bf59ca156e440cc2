import type { Citation } from '../../model/citation.ts';
import type { Weighing } from './weigh.ts';

/** Phrases that show an engine at work: what stands above them did not end it. */
export const GOES_ON = /^phase\.(?:\w+-ready|http-served|\w+-served|vllm-serving)$|\.run\.stats|\.num\.decode-batch$/;

const WARNS = /\bWARN(?:ING)?\b|\b(?:Future|User)Warning: /;

/** Tells of a line whether it is a warning that did not keep the engine from working: it is seen at work below. */
export function warnedInPassing({
  all,
}: Pick<Weighing, 'all'>): (line: Citation & { readonly kind: 'line' }) => boolean {
  const worked = Math.max(0, ...all.filter(({ phrase }) => GOES_ON.test(phrase.id)).map(({ hit }) => hit.line));
  return ({ line, text }) => line < worked && WARNS.test(text);
}

/** PyTorch says this before it frees its cache and asks again, which mostly helps. */
export const RETRIES = /^(?:torch\.oom\.allocator-warning|tms\.retries)$/;

const DATED = /^(?:startup|burst)$/;
// How an engine begins its lines tells whose they are; what they say comes after it.
const HEAD = /\.(?:log-head|process-prefix)$/;

/**
 * Lines that decide nothing, by number: wrappers, lists of guesses, boilerplate. Progress, which tells a time of life, is
 * often drawn in front of a line of another writer, and has its say.
 */
export function linesOfNoWeight({ all }: Pick<Weighing, 'all'>): ReadonlySet<number> {
  const mute = all.filter(
    ({ phrase }) =>
      RETRIES.test(phrase.id) || (phrase.weight === 'context' && !DATED.test(phrase.phase) && !HEAD.test(phrase.id)),
  );
  return new Set(mute.map(({ hit }) => hit.line));
}
