import type { Weighed } from './weighed.ts';

/** What a line means, by its phrase, with the figures of this very line; a sentence whose figure the line lacks is left out. */
export function meaningOf({ phrase, hit }: Pick<Weighed, 'phrase' | 'hit'>): string | undefined {
  const told = (phrase.means ?? '').split(SENTENCE).filter((sentence) => {
    return [...sentence.matchAll(FIGURE)].every(([, name = '']) => hit.captures[name] !== undefined);
  });
  const text = told.map((one) => one.replaceAll(FIGURE, (_, name: string) => hit.captures[name] ?? '')).join(' ');
  return text === '' ? undefined : text;
}

/** A meaning in two: its first words, as far as they can stand over it, and what it says beside them. */
export function partsOf(meaning: string): { readonly named: string | undefined; readonly more: string | undefined } {
  const [first = '', ...others] = meaning.split(SENTENCE);
  const named = /^[^:;]*/.exec(first)?.[0].replace(/\.$/, '') ?? '';
  if (named === '' || named.length > LONGEST) return { named: undefined, more: meaning };
  const isWhole = named.length + 1 >= first.length;
  const more = isWhole ? others.join(' ') : meaning;
  return { named, more: more === '' ? undefined : more };
}

const SENTENCE = /(?<=\.)\s+/;
const FIGURE = /\{(\w+)\}/g;
// What a headline may hold.
const LONGEST = 110;
