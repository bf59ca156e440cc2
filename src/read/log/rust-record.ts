import { cleanLine } from './clean-line.ts';
import { decodeBytes } from './match-segment.ts';

// The launcher of Text Generation Inference prints its settings a line each (launcher/src/main.rs, `{:#?}` since v2.0.2).
const BEGINS = /\btext_generation_launcher: Args \{\s*$/;
const WORDS = 'Args {';
const MOST_LINES = 200;
const MOST_BYTES = 16 * 1024;
/** What leaves a value open: `num_shard: Some(`. */
const OPENS = /[([{]$/;

/** The lines below a line that begins a record of Rust, without their prefixes, blanks at their ends taken off; those of a record that is cut only up to its last whole field. */
export function linesOfRecord(raw: string, text: string, end: number): readonly string[] {
  if (!raw.includes(WORDS) || !BEGINS.test(cleanLine(decodeBytes(raw)).clean)) return [];
  const found: string[] = [];
  for (const bytes of text.slice(end + 1, end + 1 + MOST_BYTES).split('\n', MOST_LINES)) {
    const { clean } = cleanLine(decodeBytes(bytes));
    if (clean.trimEnd() === '}') return [...found, '}'].map((line) => line.trim());
    if (!/^\s+\S/.test(clean)) break;
    found.push(clean.trimEnd());
  }
  return wholeFields(found).map((line) => line.trim());
}

function wholeFields(lines: readonly string[]): readonly string[] {
  const depth = indentOf(lines[0] ?? '');
  const last = lines.findLastIndex((line) => indentOf(line) === depth && line.endsWith(',') && !OPENS.test(line));
  return lines.slice(0, last + 1);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
