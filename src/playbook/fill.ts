import type { FactEntry, Facts } from '../model/fact.ts';
import type { Template } from './compiled.ts';
import { formatFact } from './format-value.ts';
import { factOf } from './judge.ts';

// Foreign text inside a sentence stays one line and short; the whole of it stands in the evidence.
const LONGEST = 300;

/** Text with its facts filled in, each in the words of its unit; an unknown one reads `not known`. */
export function fill(template: Template, facts: Facts): string {
  return template.map((part) => (typeof part === 'string' ? part : seenOf(part, facts))).join('');
}

/** The value of a fact in one short line. */
export function seenOf(entry: FactEntry, facts: Facts): string {
  const text = formatFact(entry.unit, factOf(entry, facts)).replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ');
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 3)}...` : text;
}
