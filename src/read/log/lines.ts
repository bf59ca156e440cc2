import type { Gate } from './gate.ts';

/**
 * A stretch of the log read as latin1, so that one character is one byte. `base` is the byte offset of its first character,
 * `line` the number of its first line. `opens` tells what its first line is: a line of its own, or the rest of one too long
 * to be held, plain or behind a prompt.
 */
export type Block = {
  readonly text: string;
  readonly base: number;
  readonly line: number;
  readonly opens: 'line' | 'rest' | 'masked';
};

/** A line that the gate has let through; `start` and `end` are places in the block's text. */
export type GateLine<T> = {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  /** Where the gate matched, and whose literals may be there. */
  readonly places: readonly { readonly at: number; readonly owners: readonly T[] }[];
};

export type LineCount = { lines: number; evidence: number };

/** The lines of a block that hold a literal, in order. `count`, if given, is raised by the lines and evidence lines of the whole block. */
export function* gateLines<T>(block: Block, gate: Gate<T>, count?: LineCount): Generator<GateLine<T>> {
  const { text } = block;
  const cursor = { pos: 0, line: block.line, count, opens: block.opens };
  let match = next(gate, text, 0);
  while (match !== null) {
    advance(cursor, text, match.index);
    const start = cursor.pos;
    const end = endOfLine(text, match.index);
    const places: { at: number; owners: readonly T[] }[] = [];
    while (match !== null && match.index < end) {
      places.push({ at: match.index, owners: gate.owners.get(match[0]) ?? [] });
      match = next(gate, text, match.index + 1);
    }
    yield { start, end, line: cursor.line, places };
  }
  advance(cursor, text, text.length);
}

/** Owners of the literals that a short text may hold. */
export function ownersIn<T>(text: string, gate: Gate<T>): Set<T> {
  const owners = new Set<T>();
  for (let match = next(gate, text, 0); match !== null; match = next(gate, text, match.index + 1)) {
    for (const owner of gate.owners.get(match[0]) ?? []) owners.add(owner);
  }
  return owners;
}

// The expression is shared between scanners, so its place is set before every use.
function next<T>(gate: Gate<T>, text: string, from: number): RegExpExecArray | null {
  gate.expression.lastIndex = from;
  return gate.expression.exec(text);
}

type Cursor = { pos: number; line: number; readonly count: LineCount | undefined; opens: Block['opens'] };

function advance(cursor: Cursor, text: string, to: number): void {
  for (;;) {
    const feed = text.indexOf('\n', cursor.pos);
    if (feed === -1 || feed >= to) return;
    if (cursor.count !== undefined) {
      cursor.count.lines++;
      // A line that came in pieces is counted at its end.
      if (cursor.opens !== 'line' || isEvidence(text, cursor.pos, feed)) cursor.count.evidence++;
    }
    cursor.pos = feed + 1;
    cursor.line++;
    cursor.opens = 'line';
  }
}

/** Whether a line is not blank. */
function isEvidence(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (text.charCodeAt(i) > 32) return true;
  return false;
}

function endOfLine(text: string, from: number): number {
  const feed = text.indexOf('\n', from);
  return feed === -1 ? text.length : feed;
}
