import type { LineCitation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';

/**
 * A line of a text file: `n` from 1, `raw` as it stands, `text` its first 4,096 signs without colour codes, trailing blanks
 * and the time that a runner of CI put before it.
 */
export type TextLine = { readonly n: number; readonly raw: string; readonly text: string };

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with ESC
const COLOUR = /\u001b\[[0-9;?]*[A-Za-z]/g;

// Seven digits of a second: actions/runner prints what .NET keeps.
const CI_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{7}Z /;

/** The lines that are not blank, with their numbers in the file. */
export function evidenceLines(text: string): readonly TextLine[] {
  return allLines(text).filter((line) => line.text.trim() !== '');
}

// No tool prints a line this long that a reader understands, and patterns need not run over megabytes.
const READ_MAX = 4096;

export function allLines(text: string): readonly TextLine[] {
  return text.split('\n').map((raw, index) => ({
    n: index + 1,
    raw,
    text: raw.slice(0, READ_MAX).replaceAll(COLOUR, '').replace(CI_TIME, '').trimEnd(),
  }));
}

/** A line that says by labels which pod or container it is about. */
export type LabelledLine = {
  /** Of a metric; empty for other lines. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly line: number;
};

const CITED_MAX = 2000;

/** Where a line stands. The text is the line as it is in the file, at most 2,000 characters. */
export function citeLine(file: string, line: TextLine): LineCitation {
  const raw = line.raw.endsWith('\r') ? line.raw.slice(0, -1) : line.raw;
  return { kind: 'line', file, line: line.n, text: clip(raw) };
}

export function cited<T>(value: T, file: string, line: TextLine): Cited<T> {
  return { value, from: citeLine(file, line) };
}

/** Cuts at 2,000 characters, never through a surrogate pair: half of one is no valid text. */
export function clip(text: string): string {
  if (text.length <= CITED_MAX) return text;
  const last = text.charCodeAt(CITED_MAX - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? CITED_MAX - 1 : CITED_MAX);
}

/** Lines of a text, by number: those about others than what is looked at, and those where it is unclear. */
export type Sorted = { readonly others: ReadonlySet<number>; readonly unsure: ReadonlySet<number> };

export const NOTHING_SORTED: Sorted = { others: new Set(), unsure: new Set() };

/** What both sorted out of the same text. */
export function mergeSorted(one: Sorted = NOTHING_SORTED, other: Sorted = NOTHING_SORTED): Sorted {
  return { others: new Set([...one.others, ...other.others]), unsure: new Set([...one.unsure, ...other.unsure]) };
}
