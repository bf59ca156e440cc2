import type { Weighed } from './weighed.ts';

const CREATES_STREAM = 'ggml.call.stream';
const LINES = 3;

/**
 * The hits, where the device's word for a lack that ggml got as it created a stream is a hint: a stream takes next to
 * nothing, and a card that a runtime can not drive refuses its first one with the same word.
 */
export function withFirstStreamsDoubted(all: readonly Weighed[]): Weighed[] {
  const streams = all.filter(({ phrase }) => phrase.id === CREATES_STREAM).map(({ hit }) => hit.line);
  return all.map((told) => {
    const { phrase, hit } = told;
    const proves = phrase.plane === 'gpu' && (phrase.weight === 'proof' || phrase.weight === 'strong');
    const isOfStream = streams.some((line) => line >= hit.line && line - hit.line <= LINES);
    return proves && isOfStream ? { ...told, phrase: { ...phrase, weight: 'hint' } } : told;
  });
}
