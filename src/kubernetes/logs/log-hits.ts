import type { CauseFinder } from '../../model/log-reading.ts';
import { lineEndAfter, lineStartBefore, type Piece, skipLines } from './line-bounds.ts';

export type Hits = {
  /** Whole lines in the order of the stream, without some perhaps. */
  take(lines: Piece): void;
  all(): readonly Piece[];
  readonly found: boolean;
  readonly full: boolean;
};

// Hits are placed to within this many bytes.
const STEP = 2048;
const MAX_HITS = 8;
const LINES_AROUND = 20;
const BYTES_AROUND = 8192;
const NONE: Piece = { start: 0, bytes: Buffer.alloc(0) };

/** Keeps the lines that name a cause, with the lines around them. */
export function createHits(scanner: () => CauseFinder): Hits {
  const hits: Piece[] = [];
  let scan = scanner();
  let before = NONE;
  // The newest hit is waiting for the lines after it.
  let open: { start: number; end: number; parts: Buffer[]; size: number; lines: number } | undefined;

  const close = (): void => {
    if (open !== undefined) hits.push({ start: open.start, bytes: Buffer.concat(open.parts) });
    open = undefined;
  };
  const extend = ({ start, bytes }: Piece): void => {
    if (open !== undefined && open.end !== start) close();
    if (open === undefined) return;
    const { end, left } = skipLines(bytes, open.lines, BYTES_AROUND - open.size);
    open.parts.push(bytes.subarray(0, end));
    open.size += end;
    open.end += end;
    open.lines = left;
    if (end < bytes.byteLength || left === 0) close();
  };
  // `window` begins with the lines before those that were taken last, which begin at `from`.
  const locate = (window: Piece, from: number): void => {
    let at = from;
    while (hits.length < MAX_HITS) {
      const hit = nextHit(scanner, window.bytes, at);
      scan = hit.scan;
      if (hit.end === undefined) return;
      close();
      const start = linesBack(window.bytes, hit.start);
      const { end, left } = skipLines(window.bytes.subarray(hit.end), LINES_AROUND, BYTES_AROUND);
      at = hit.end + end;
      const parts = [Buffer.from(window.bytes.subarray(start, at))];
      open = { start: window.start + start, end: window.start + at, parts, size: end, lines: left };
      if (at < window.bytes.byteLength || left === 0) close();
    }
  };

  return {
    take(lines) {
      if (lines.bytes.byteLength === 0) return;
      extend(lines);
      const window = follow(before, lines);
      if (hits.length < MAX_HITS) {
        scan.push(lines.bytes);
        if (scan.foundCause) locate(window, window.bytes.byteLength - lines.bytes.byteLength);
      }
      before = lastLines(window);
    },
    all() {
      close();
      return hits;
    },
    get found() {
      return hits.length > 0 || open !== undefined;
    },
    get full() {
      return hits.length >= MAX_HITS;
    },
  };
}

// What a line that was left out parts does not belong together.
function follow(before: Piece, lines: Piece): Piece {
  if (before.bytes.byteLength === 0 || before.start + before.bytes.byteLength !== lines.start) return lines;
  return { start: before.start, bytes: Buffer.concat([before.bytes, lines.bytes]) };
}

function lastLines({ start, bytes }: Piece): Piece {
  const over = bytes.byteLength - BYTES_AROUND;
  const from = over <= 0 ? 0 : lineEndAfter(bytes, over - 1);
  return { start: start + from, bytes: Buffer.from(bytes.subarray(from)) };
}

type NextHit = { readonly start: number; readonly end: number | undefined; readonly scan: CauseFinder };

// In small steps along whole lines, with a scanner that has seen no hit yet.
function nextHit(scanner: () => CauseFinder, window: Buffer, from: number): NextHit {
  const scan = scanner();
  for (let start = from; start < window.byteLength; ) {
    const end = lineEndAfter(window, start + STEP);
    scan.push(window.subarray(start, end));
    if (scan.foundCause) return { start, end, scan: scanner() };
    start = end;
  }
  return { start: from, end: undefined, scan };
}

function linesBack(window: Buffer, at: number): number {
  let start = at;
  for (let lines = 0; lines < LINES_AROUND && start > 0; lines++) {
    const next = lineStartBefore(window, start - 1);
    if (at - next > BYTES_AROUND) return start;
    start = next;
  }
  return start;
}
