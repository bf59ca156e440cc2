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
