import type { CompiledPhrases } from '../../scan/compile.ts';
import { headless } from '../error/raised.ts';
import type { Evidence } from '../evidence.ts';
import { lastLine } from '../weigh/tail-lines.ts';
import { pointerOf, type Read } from './pointer.ts';

type Example = { readonly text: string; readonly points: (from: Read['from']) => readonly Read[] };

const WEIGHTY = /^(?:proof|strong|rules-out)$/;
// Shorter beginnings (`RuntimeError: CUDA `) are those of many lines.
const LEAST = 20;
const KEY = 12;

/**
 * What the last line of the log was about to say where it breaks off: it ends as a line begins that a phrase knows. Of
 * several such phrases all have to speak of one memory, or of none.
 */
export function readCutLine({ log, readings }: Pick<Evidence, 'log' | 'readings'>): Read | undefined {
  const from = lastLine(log.main);
  if (from === undefined) return undefined;
  const own = normal(headless(from.text)).replace(/(?:\.{2,3}|…|")\s*$/, '');
  const begun = examplesOf(readings.phrases)
    .map((example) => ({ example, length: overlap(own, example.text) }))
    .filter(({ length }) => length >= LEAST);
  const longest = Math.max(0, ...begun.map(({ length }) => length));
  const reads = begun.filter(({ length }) => length === longest).flatMap(({ example }) => example.points(from));
  const planes = new Set(reads.map(({ family }) => family.plane));
  return planes.size === 1 ? reads[0] : undefined;
}

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
    .flatMap((phrase) =>
      phrase.must.map((line) => ({
        text: normal(headless(line)),
        points: (from: Read['from']) => pointerOf(phrase, from),
      })),
    )
    .filter(({ text }) => text.length > LEAST);
  KNOWN.set(phrases, examples);
  return examples;
}
