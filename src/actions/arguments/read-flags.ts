import type { RefusalReason } from './edit-outcome.ts';
import { type Dialect, findNegated, toKey } from './engine-flags.ts';
import { literalPart, type Word } from './shell-word.ts';

/** One occurrence of a flag. Numbers are indices of words; `value` null for a bare switch. */
export type FlagUse = {
  /** The flag as engines compare it; `--x` for `--no-x` where that is how it is turned off. */
  readonly key: string;
  readonly written: string;
  readonly off: boolean;
  readonly at: number;
  readonly value: { readonly at: number; readonly from: number; readonly text: string } | null;
  /** Why this occurrence can be read or set only by a person. */
  readonly odd: RefusalReason | null;
};

export type FlagReading = {
  readonly uses: readonly FlagUse[];
  /** Words that are computed and may hold any flag. */
  readonly opaque: readonly number[];
};

const FLAG = /^(--?[A-Za-z][\w.-]*)(=|$)/;
const FLAG_AND_MORE = /^(--?[A-Za-z][\w.-]*)\s/;
const SWITCH_WORD = /^(?:true|false)$/i;

type Walk = {
  readonly words: readonly Word[];
  readonly dialect: Dialect;
  readonly uses: FlagUse[];
  readonly opaque: number[];
};

/** Reads flags with their values in the order in which they stand, up to `--`. */
export function readFlags(words: readonly Word[], dialect: Dialect, modelFirst: boolean): FlagReading {
  const walk: Walk = { words, dialect, uses: [], opaque: [] };
  for (let i = 0; i < words.length; i++) {
    const word = words[i];
    if (word === undefined || isSeparator(word)) break;
    const use = readUse(walk, i, word);
    if (use !== undefined) {
      walk.uses.push(use);
      i = Math.max(i, lastWordOf(use, words, dialect));
    } else if (isOpaque(word) && !(modelFirst && i === 0)) walk.opaque.push(i);
  }
  return walk;
}

/** The uses of one flag, the last of which is in force. */
export function usesOf({ uses }: FlagReading, key: string): FlagUse[] {
  return uses.filter((use) => use.key === key);
}

function isSeparator(word: Word): boolean {
  return word.value === '--' && word.computedAt === null;
}

// What begins with something certain is a path or a name; `$X` and `--$X` can be anything.
function isOpaque(word: Word): boolean {
  const literal = literalPart(word);
  return word.computedAt !== null && (literal === '' || literal.startsWith('-'));
}

function readUse(walk: Walk, at: number, word: Word): FlagUse | undefined {
  const literal = literalPart(word);
  const joined = FLAG_AND_MORE.exec(literal);
  if (joined !== null) return { ...named(walk, joined[1] ?? ''), at, value: null, odd: 'odd-form' };
  const m = FLAG.exec(literal);
  if (m === null || (m[2] === '' && word.computedAt !== null)) return undefined;
  const short = m[2] === '' ? walk.dialect.shortOf(literal) : undefined;
  if (short !== undefined) {
    return {
      ...named(walk, short),
      at,
      value: { at, from: short.length, text: literal.slice(short.length) },
      odd: null,
    };
  }
  const name = named(walk, m[1] ?? '');
  if (m[2] === '') return { ...name, at, ...valueBehind(walk, at, name) };
  const from = m[0].length;
  const odd = word.computedAt === null ? null : 'computed-value';
  return { ...name, at, value: { at, from, text: word.value.slice(from) }, odd };
}

type Named = Pick<FlagUse, 'key' | 'written' | 'off'>;

function named({ dialect }: Walk, written: string): Named {
  const known = dialect.find(written);
  if (known !== undefined) return { key: toKey(known.name), written, off: false };
  const negated = findNegated(dialect, written);
  return { key: toKey(negated?.name ?? written), written, off: negated !== undefined };
}

function valueBehind({ words, dialect }: Walk, at: number, { written, off }: Named): Pick<FlagUse, 'value' | 'odd'> {
  const next = words[at + 1];
  const kind = off ? 'switch' : dialect.find(written)?.kind;
  const bare = { value: null, odd: null };
  if (kind === 'switch' || next === undefined || isFlagLike(next)) {
    return kind === 'value' || kind === 'list' ? { value: null, odd: 'value-missing' } : bare;
  }
  if (kind === 'negatable' && !SWITCH_WORD.test(next.value)) return bare;
  // Behind a flag that no table knows, a computed word may be its value or anything else.
  if (kind === undefined && next.computedAt !== null) return bare;
  const value = { at: at + 1, from: 0, text: next.value };
  if (next.computedAt !== null) return { value, odd: 'computed-value' };
  const behind = words[at + 2];
  const isSeveral = kind === 'list' && behind !== undefined && !isFlagLike(behind);
  return { value, odd: isSeveral ? 'several-values' : null };
}

function lastWordOf(use: FlagUse, words: readonly Word[], dialect: Dialect): number {
  let last = use.value?.at ?? use.at;
  if (dialect.find(use.written)?.kind !== 'list') return last;
  for (let next = words[last + 1]; next !== undefined && !isFlagLike(next); next = words[last + 1]) last++;
  return last;
}

function isFlagLike(word: Word): boolean {
  return /^--?[A-Za-z]/.test(literalPart(word)) || isSeparator(word);
}
