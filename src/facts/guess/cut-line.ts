import type { LineCitation } from '../../model/citation.ts';
import type { CompiledPhrases } from '../../read/log/compile.ts';
import { headless } from '../evidence/raised-exception.ts';
import { HINTS, type Read } from './family.ts';
import { pointerOf } from './pointer.ts';
import { LACK } from './words-of-memory.ts';

type Example = { readonly text: string; readonly points: (from: Read['from']) => readonly Read[] };

const WEIGHTY = /^(?:proof|strong|hint|rules-out)$/;
// Shorter beginnings (`RuntimeError: CUDA `) are those of many lines.
const LEAST = 20;
const KEY = 12;
const MOST_LINES = 40;
const TYPE = /^(?:[\w.:]{1,60}(?:Error|Exception|error)|Error|error): /;

/** A line of a log with its head and what users wrote taken off; `weighs` where it is neither an echo nor said in passing. */
export type Line = { readonly said: string; readonly weighs: boolean; readonly from: LineCitation };

/**
 * What a line was about to say where it breaks off: it ends as a line begins that a phrase knows. So ends the last line of
 * a paste, and a cell of a table that is too narrow. Of several such phrases all have to speak of one memory.
 */
export function readCutLine(lines: readonly Line[], phrases: CompiledPhrases): Read | undefined {
  const mayBreakOff = lines
    .slice(-MOST_LINES)
    .toReversed()
    .filter(({ from, weighs }, at) => weighs && (at === 0 || CELL.test(from.text)));
  return mayBreakOff.flatMap((line) => readEnd(line, phrases) ?? [])[0];
}

function readEnd({ said, from }: Line, phrases: CompiledPhrases): Read | undefined {
  const own = normal(said).replace(END, '');
  const short = CUT_WORDS.test(own) ? LACK.find(({ plane }) => plane === 'gpu') : undefined;
  if (short !== undefined) return { family: short, score: HINTS, from };
  const begun = examplesOf(phrases)
    .map((example) => ({ example, length: overlap(own, example.text) }))
    .filter(({ length }) => length >= LEAST);
  const longest = Math.max(0, ...begun.map(({ length }) => length));
  const reads = begun.filter(({ length }) => length === longest).flatMap(({ example }) => example.points(from));
  const planes = new Set(reads.map(({ family }) => family.plane));
  return planes.size === 1 && !planes.has('none') ? reads[0] : undefined;
}

const CELL = /\|[^|]*\S\s+\|\s*$/;
// What stands behind the last sign of a cell, or says itself that more followed.
const END = /(?:\s+\||\.{2,3}|…|")\s*$/;
// An engine speaks of its card.
const CUT_WORDS = /\bout of m(?:e(?:m(?:o(?:r)?)?)?)?$/;

/** How much of the line's end is the beginning of the example, and not the whole of it. */
function overlap(own: string, example: string): number {
  const key = example.slice(0, KEY);
  for (let at = own.indexOf(key); at !== -1; at = own.indexOf(key, at + 1)) {
    const end = own.slice(at);
    if (end.length < example.length && example.startsWith(end)) return end.length;
  }
  return 0;
}

// Sizes, devices and times differ from line to line.
function normal(text: string): string {
  return text.trimEnd().replaceAll(/\d+(?:[.,]\d+)*/g, '0');
}

const KNOWN = new WeakMap<CompiledPhrases, readonly Example[]>();

function examplesOf(phrases: CompiledPhrases): readonly Example[] {
  const known = KNOWN.get(phrases);
  if (known !== undefined) return known;
  const examples = [...phrases.byId.values()]
    .filter(({ weight }) => WEIGHTY.test(weight))
    .flatMap((phrase) => {
      const points = (from: Read['from']) => pointerOf(phrase, from);
      const texts = phrase.must.map((line) => normal(headless(line)));
      return [...texts, ...texts.map((text) => text.replace(TYPE, ''))].map((text) => ({ text, points }));
    })
    .filter(({ text }) => text.length > LEAST);
  KNOWN.set(phrases, examples);
  return examples;
}
