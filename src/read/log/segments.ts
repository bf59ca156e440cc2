import type { Matcher } from './compile.ts';
import type { Block, GateLine } from './lines.ts';
import { linesOfRecord } from './rust-record.ts';

/** A line, or what stands between two carriage returns of it (progress bars), with the phrases whose literals it may hold. */
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
export function* segmentsOf(block: Block, line: GateLine<Matcher>): Generator<Segment> {
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
