import type { Cause } from '../../model/taxonomy.ts';
import type { Weighed } from './weighed.ts';

// What was asked for, and in which unit. A limit that nobody set is as large, and no request.
const ASKED =
  /\b(?:alloc\w*|request\w*|required?|needs?|reserve|size|memory of|buffer of)\b[^\n\d]{0,30}(\d[\d.]{0,24}) ?(?:([KMGTPEZ])i?B\b|bytes\b|B\b|$)?/gi;
const POWERS = 'KMGTPEZ';
const KILO = 1024;
/** More than any machine has: a shape or an offset that was computed wrong, or read from a broken file. */
const IMPOSSIBLE = KILO ** 5;

/** Whether a line asks for more memory than any machine has. */
export function asksTheImpossible(text: string): boolean {
  return [...text.matchAll(ASKED)].some(([, size = '', unit]) => {
    const power = unit === undefined ? 0 : POWERS.indexOf(unit.toUpperCase()) + 1;
    return Number(size) * KILO ** power >= IMPOSSIBLE;
  });
}

const WRONG: readonly Cause[] = ['none.other'];

/** The hits, where a refusal of a size that no machine has is no want of memory. */
export function withoutImpossible(all: readonly Weighed[]): Weighed[] {
  return all.map((told) => {
    const { phrase, hit } = told;
    const isOfMemory = phrase.plane === 'gpu' || phrase.plane === 'host';
    if (!isOfMemory || phrase.weight === 'context' || !asksTheImpossible(hit.clean)) return told;
    const weight = phrase.weight === 'hint' ? 'hint' : 'rules-out';
    return { ...told, phrase: { ...phrase, plane: 'none', phase: 'n/a', causes: [...WRONG], weight } };
  });
}
