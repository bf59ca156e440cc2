import type { Matcher } from './compile.ts';
import type { Gate } from './gate.ts';
import { type Block, gateLines, type LineCount } from './lines.ts';
import { type Segment, segmentsOf } from './segments.ts';

/** The segments of a block on which the gate saw a literal, with the matchers that own it. */
export function* gatedSegments(block: Block, gate: Gate<Matcher>, count?: LineCount): Generator<Segment> {
  for (const line of gateLines(block, gate, count)) {
    yield* segmentsOf(block, line);
  }
}
