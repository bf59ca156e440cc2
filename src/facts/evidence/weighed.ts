import type { Hit } from '../../model/log-reading.ts';
import type { Phrase } from '../../model/phrase.ts';

/** A hit with its phrase and the file it stands in. */
export type Weighed = { readonly hit: Hit; readonly phrase: Phrase; readonly file: string };

const BESIDE_LINES = 12;

/** Whether two lines belong to one report. */
export function isBeside(a: Weighed, b: Weighed): boolean {
  return a.file === b.file && Math.abs(a.hit.line - b.hit.line) <= BESIDE_LINES;
}

/** Whether a phrase tells which memory it was, or that it was none. */
export function isDecidingPlane({ plane }: Phrase): boolean {
  return plane === 'gpu' || plane === 'host' || plane === 'none';
}

/** Whether one line stands further down than another of the same log. */
export function isBelow(one: Weighed, other: Weighed): boolean {
  return one.file === other.file && one.hit.line > other.hit.line;
}

/** The same line, where it decides nothing. */
export function asContext({ phrase, ...weighed }: Weighed): Weighed {
  return { ...weighed, phrase: { ...phrase, plane: 'unknown', phase: 'any', weight: 'context' } };
}
