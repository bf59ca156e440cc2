import type { CauseFinder } from '../../model/log-reading.ts';
import { lineEndAfter, lineStartBefore, skipLines } from './line-bounds.ts';

/** A stretch of a stream that was kept; `start` is its offset there. */
export type Piece = { readonly start: number; readonly bytes: Buffer };

/** What was kept of a stream: its first bytes, its last bytes, and the surroundings of lines that name a cause. */
export type Kept = {
  readonly bytes: number;
  readonly lead: Buffer;
  readonly ring: Piece;
  readonly hits: readonly Piece[];
};

export type Keeper = {
  push(chunk: Uint8Array): void;
  kept(): Kept;
  /** A line that names a cause was seen. */
  readonly found: boolean;
  /** As many hits are kept as are wanted. */
  readonly full: boolean;
};

export type KeeperOptions = { readonly scanner: () => CauseFinder; readonly ringBytes: number };

const LEAD_BYTES = 4096;
const BLOCK = 64 * 1024;
// Hits are placed to within this many bytes.
const STEP = 2048;
const MAX_HITS = 8;
const LINES_AROUND = 20;
const BYTES_AROUND = 8192;

/** Keeps what matters of a stream of any length, in bounded memory. */
export function createKeeper({ scanner, ringBytes }: KeeperOptions): Keeper {
  const ring = createRing(ringBytes);
  const hits: Piece[] = [];
  let lead: Buffer = Buffer.alloc(0);
  let scan = scanner();
  let bytes = 0;
  let before: Buffer = Buffer.alloc(0);
  // The newest hit is waiting for the lines after it.
  let open: { start: number; parts: Buffer[]; size: number; lines: number } | undefined;

  const close = (): void => {
    if (open !== undefined) hits.push({ start: open.start, bytes: Buffer.concat(open.parts) });
    open = undefined;
  };
  const extend = (block: Buffer): void => {
    if (open === undefined) return;
    const { end, left } = skipLines(block, open.lines, BYTES_AROUND - open.size);
    open.parts.push(block.subarray(0, end));
    open.size += end;
    open.lines = left;
    if (end < block.byteLength || left === 0) close();
  };
  const take = (block: Buffer): void => {
    extend(block);
    if (hits.length < MAX_HITS) {
      scan.push(block);
      if (scan.foundCause) locate(Buffer.concat([before, block]), bytes - before.byteLength, before.byteLength);
    }
    bytes += block.byteLength;
    before = Buffer.from(Buffer.concat([before, block]).subarray(-BYTES_AROUND));
  };
  // `window` begins at `base` of the stream; what was pushed last begins at `from` of the window.
  const locate = (window: Buffer, base: number, from: number): void => {
    let at = lineStartBefore(window, from);
    while (hits.length < MAX_HITS) {
      const hit = nextHit(scanner, window, at);
      scan = hit.scan;
      if (hit.end === undefined) return;
      close();
      const start = linesBack(window, hit.start);
      const { end, left } = skipLines(window.subarray(hit.end), LINES_AROUND, BYTES_AROUND);
      const stop = hit.end + end;
      open = { start: base + start, parts: [Buffer.from(window.subarray(start, stop))], size: end, lines: left };
      if (stop < window.byteLength || left === 0) close();
      // What the piece holds needs no second hit.
      at = Math.max(stop, hit.end);
    }
  };

  return {
    push(chunk) {
      const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      if (lead.byteLength < LEAD_BYTES) lead = Buffer.concat([lead, buffer.subarray(0, LEAD_BYTES - lead.byteLength)]);
      ring.push(buffer);
      for (let at = 0; at < buffer.byteLength; at += BLOCK) take(buffer.subarray(at, at + BLOCK));
    },
    kept() {
      close();
      const last = ring.take();
      return { bytes, lead, ring: { start: bytes - last.byteLength, bytes: last }, hits };
    },
    get found() {
      return hits.length > 0 || open !== undefined;
    },
    get full() {
      return hits.length >= MAX_HITS;
    },
  };
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
  for (let lines = 0; lines < LINES_AROUND && start > 0 && at - start < BYTES_AROUND; lines++) {
    start = lineStartBefore(window, start - 1);
  }
  return start;
}

type Ring = { push(chunk: Buffer): void; take(): Buffer };

// Whole chunks are dropped from the front, so nothing is copied before the end.
function createRing(limit: number): Ring {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    push(chunk) {
      chunks.push(chunk);
      size += chunk.byteLength;
      for (let first = chunks[0]; first !== undefined && size - first.byteLength >= limit; first = chunks[0]) {
        size -= first.byteLength;
        chunks.shift();
      }
    },
    take: () => {
      const all = Buffer.concat(chunks);
      return limit === 0 ? Buffer.alloc(0) : all.subarray(-limit);
    },
  };
}
