import { quote } from '../owners/kubectl.ts';
import type { Insertion, Located } from './locate-command.ts';
import type { WordChange } from './plan-flag.ts';
import type { Quote, Word } from './shell-word.ts';

/** A part of the text at `holder` and what takes its place. */
type TextEdit = { readonly start: number; readonly end: number; readonly text: string };

export type WordEdits = {
  readonly changes: readonly WordChange[];
  readonly appended: readonly string[];
};

/** New texts by holder, items of lists to take out, and items to put into a list; undefined where the form of a word forbids it. */
export type Spliced = {
  readonly texts: ReadonlyMap<string, string>;
  readonly removed: ReadonlySet<string>;
  readonly inserted: {
    readonly list: 'command' | 'args';
    readonly index: number;
    readonly words: readonly string[];
  } | null;
};

type Placed = TextEdit & { readonly holder: string };

/** Applies changes of words to the texts that hold them. */
export function splice(located: Located, { changes, appended }: WordEdits): Spliced | undefined {
  const removed = new Set<string>();
  const placed: (Placed | undefined)[] = changes.map((change) => {
    const word = located.words[change.at];
    if (word === undefined) return undefined;
    if (change.kind === 'remove' && word.units === null) removed.add(word.holder);
    return change.kind === 'remove' ? removalOf(located, word) : replacementOf(word, change);
  });
  const { insertion } = located;
  const place = appended.length === 0 || typeof insertion === 'string' ? undefined : insertion;
  if (place?.kind === 'text') placed.push(insertionOf(located, place, appended));
  const edits = placed.filter((edit) => edit !== undefined);
  if (edits.length < placed.length) return undefined;
  const texts = new Map<string, string>();
  for (const [holder, own] of Map.groupBy(edits, (edit) => edit.holder)) {
    texts.set(holder, applyEdits(textAt(located, holder), own));
  }
  return { texts, removed, inserted: place?.kind === 'list' ? { ...place, words: appended } : null };
}

function textAt({ texts, words }: Located, holder: string): string {
  return (
    texts.find((text) => text.holder === holder)?.text ?? words.find((word) => word.holder === holder)?.value ?? ''
  );
}

function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const ordered = edits.toSorted((a, b) => b.start - a.start || b.end - a.end);
  return ordered.reduce((out, { start, end, text: put }) => out.slice(0, start) + put + out.slice(end), text);
}

// With the blanks and the continued line before it.
function removalOf({ texts }: Located, word: Word): Placed {
  const tokens = texts.find(({ holder }) => holder === word.holder)?.tokens ?? [];
  const before = tokens.findLast((token) => token.kind === 'word' && token.word.end <= word.start);
  const start = before?.kind === 'word' ? before.word.end : word.start;
  return { holder: word.holder, start, end: word.end, text: '' };
}

function insertionOf(
  located: Located,
  { holder, offset }: Extract<Insertion, { kind: 'text' }>,
  words: readonly string[],
): Placed {
  const text = words.map(quote).join(' ');
  return { holder, start: offset, end: offset, text: textAt(located, holder) === '' ? text : ` ${text}` };
}

type Replacement = Extract<WordChange, { kind: 'replace' }>;

function replacementOf(word: Word, { from, to, text }: Replacement): Placed | undefined {
  const { holder } = word;
  if (word.units === null) return { holder, start: from, end: to, text };
  const units = word.units.slice(from, to);
  const [first] = units;
  const last = units.at(-1);
  // An empty value has no place of its own, and one in two kinds of quotes no single form.
  if (first === undefined || last === undefined || units.some(({ quote }) => quote !== first.quote)) return undefined;
  const written = writeIn(first.quote, text);
  return written === undefined ? undefined : { holder, start: first.from, end: last.to, text: written };
}

function writeIn(quotes: Quote, text: string): string | undefined {
  if (quotes === 'none') return quote(text);
  if (quotes === 'double') return text.replaceAll(/["\\$`]/g, '\\$&');
  return text.includes("'") ? undefined : text;
}
