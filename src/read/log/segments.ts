import { cleanLine } from './clean-line.ts';
import type { Matcher } from './compile.ts';
import type { Gate } from './gate.ts';
import { type Block, type GateLine, gateLines, type LineCount } from './lines.ts';
import { decodeBytes } from './match-segment.ts';

/** A line, or what stands between two carriage returns of it (progress bars), with the signatures whose literals it may hold. */
export type Segment = {
  readonly raw: string;
  /** Place in the block's text. */
  readonly start: number;
  readonly line: number;
  readonly matchers: ReadonlySet<Matcher>;
  /** All of it is the rest of a prompt. */
  readonly masked: boolean;
  /** It belongs to the rest of a line whose first piece was scanned before. */
  readonly isRest: boolean;
  /** The lines below in which its record goes on, without their prefixes. */
  readonly below: readonly string[];
};

/** The parts of a line in which the gate found something. */
function* segmentsOf(block: Block, line: GateLine<Matcher>): Generator<Segment> {
  const raw = block.text.slice(line.start, line.end);
  const isRest = line.start === 0 && block.opens !== 'line';
  const below = linesOfRecord(raw, block.text, line.end);
  const common = { line: line.line, masked: isRest && block.opens === 'masked', isRest, below };
  let from = 0;
  while (from < line.places.length) {
    const at = (line.places[from]?.at ?? 0) - line.start;
    const start = raw.lastIndexOf('\r', at) + 1;
    const feed = raw.indexOf('\r', at);
    const end = feed === -1 ? raw.length : feed;
    const matchers = new Set<Matcher>();
    for (; from < line.places.length; from++) {
      const place = line.places[from];
      if (place === undefined || place.at - line.start >= end) break;
      for (const owner of place.owners) matchers.add(owner);
    }
    yield { ...common, raw: raw.slice(start, end), start: line.start + start, matchers };
  }
}

/** The segments of a block on which the gate saw a literal, with the matchers that own it. */
export function* gatedSegments(block: Block, gate: Gate<Matcher>, count?: LineCount): Generator<Segment> {
  for (const line of gateLines(block, gate, count)) {
    yield* segmentsOf(block, line);
  }
}

// The launcher of Text Generation Inference prints its settings a line each (launcher/src/main.rs, `{:#?}` since v2.0.2).
const BEGINS = /\btext_generation_launcher: Args \{\s*$/;
const WORDS = 'Args {';
const MOST_LINES = 200;
const MOST_BYTES = 16 * 1024;
/** What leaves a value open: `num_shard: Some(`. */
const OPENS = /[([{]$/;

/** The lines below a line that begins a record of Rust, without their prefixes, blanks at their ends taken off; those of a record that is cut only up to its last whole field. */
function linesOfRecord(raw: string, text: string, end: number): readonly string[] {
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
