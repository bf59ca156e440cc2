let segmenter: Intl.Segmenter | undefined;

// It takes some milliseconds to make, and most texts are plain.
function segments(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

// Latin letters, dashes, quotes, arrows, boxes and marks, one column each.
const PLAIN =
  /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u024f\u2010-\u2027\u2030-\u205e\u2190-\u2193\u2500-\u259f\u2713-\u2718]*$/;

/** Columns that a text takes: none for combining marks, two for wide characters and emoji. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segments(text)) width += graphemeWidth(segment);
  return width;
}

function graphemeWidth(grapheme: string): number {
  const code = grapheme.codePointAt(0) ?? 0;
  if (/^\p{Mark}|^\u200b|^\ufeff/u.test(grapheme)) return 0;
  const wide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x1f300 && code <= 0x1faff);
  return wide ? 2 : 1;
}

/** Lines of at most `width` columns, broken at blanks where there are any. What `unbroken` has marked may be wider. */
export function wrap(text: string, width: number): string[] {
  const lines = text.split('\n').flatMap((line) => wrapLine(line, Math.max(10, width)));
  return lines.map((line) => line.replaceAll(KEPT, ' '));
}

// For private use in Unicode.
const KEPT = '\uf8ff';

/** The text as one word: a command broken over two lines is two commands when it is copied. */
export function unbroken(text: string): string {
  return text.replaceAll(' ', KEPT);
}

/** A line of columns, which stand two blanks or more apart, in at most `width`: they move together, and those that do not fit go on below, set off, so that a value stays whole. */
export function fitColumns(line: string, width: number): string[] {
  if (widthOf(line) <= width) return [line];
  const [first = '', ...cells] = line.trimEnd().split(/(?<=\S) {2,}(?=\S)/);
  // What holds more than a line is text, in which two blanks mean nothing.
  if ([first, ...cells].some((cell) => widthOf(cell) > width - SET_OFF.length)) {
    return wrap(line.replace(/(?<=\S) {3,}/g, '  '), width);
  }
  const lines = [first];
  for (const cell of cells) {
    const joined = `${lines.at(-1)}  ${cell}`;
    if (widthOf(joined) <= width) lines.splice(-1, 1, joined);
    else lines.push(`${SET_OFF}${cell}`);
  }
  return lines;
}

const SET_OFF = '  ';

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  let taken = 0;
  for (const word of line.split(' ').flatMap((w) => breakWord(w, width))) {
    const wide = widthOf(word);
    if (current !== '' && taken + 1 + wide > width) {
      lines.push(current.trimEnd());
      [current, taken] = [word, wide];
    } else if (current === '') [current, taken] = [word, wide];
    else [current, taken] = [`${current} ${word}`, taken + 1 + wide];
  }
  return [...lines, current];
}

function breakWord(word: string, width: number): string[] {
  if (word.includes(KEPT) || widthOf(word) <= width) return [word];
  const parts: string[] = [];
  let part = '';
  let taken = 0;
  for (const { segment } of segments(word)) {
    const wide = graphemeWidth(segment);
    if (taken + wide > width) {
      parts.push(part);
      [part, taken] = [segment, wide];
    } else {
      part += segment;
      taken += wide;
    }
  }
  return [...parts, part];
}

/** Control characters, escape sequences and marks that turn the direction of writing, made visible: foreign text must not act on a terminal. */
export function visible(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, (c) => {
    const code = c.codePointAt(0) ?? 0;
    return code < 0x20 ? `^${String.fromCharCode(code + 64)}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
