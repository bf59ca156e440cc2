import type { FactEntry, Facts } from '../model/fact.ts';
import { formatFact } from '../model/format-value.ts';
import type { Template } from './compiled.ts';
import { factOf } from './judge.ts';

// Foreign text inside a sentence stays one line and short; the whole of it stands in the evidence.
// 330 holds the longest name of an object with its namespace, which a command needs whole.
const LONGEST = 330;
const LONGEST_HEADLINE = 110;

/** Text with its facts filled in, each in the words of its unit; an unknown one reads `not known`. */
export function fill(template: Template, facts: Facts): string {
  return template.map((part) => (typeof part === 'string' ? part : seenOf(part, facts))).join('');
}

/**
 * The same, without the sentences that mention a fact that is not known: a tired reader wants the numbers there are. Where
 * no sentence is left, all of them stand. A sentence ends with a full stop and a blank.
 */
export function fillKnown(template: Template, facts: Facts): string {
  const told = sentencesOf(template).filter((sentence) =>
    sentence.every((part) => typeof part === 'string' || factOf(part, facts).kind === 'known'),
  );
  return told.length === 0 ? fill(template, facts) : told.map((sentence) => fill(sentence, facts).trim()).join(' ');
}

function sentencesOf(template: Template): readonly Template[] {
  const sentences: (string | FactEntry)[][] = [[]];
  for (const part of template) {
    const [first, ...rest] = typeof part === 'string' ? part.split(/(?<=\.)\s+/) : [part];
    if (first !== undefined) sentences.at(-1)?.push(first);
    for (const next of rest) sentences.push([next]);
  }
  return sentences.filter((sentence) => sentence.some((part) => part !== ''));
}

/** The first words of a text, to the first colon, semicolon or full stop; undefined where they are too long for a headline. */
export function firstWordsOf(text: string): string | undefined {
  const words = /^[^:;]*/.exec(text.split(/(?<=\.)\s+/)[0] ?? '')?.[0].replace(/\.$/, '') ?? '';
  return words === '' || words.length > LONGEST_HEADLINE ? undefined : words;
}

/** The value of a fact in one short line. */
export function seenOf(entry: FactEntry, facts: Facts): string {
  const text = formatFact(entry.unit, factOf(entry, facts)).replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ');
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text;
}
