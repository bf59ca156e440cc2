import type { CauseFinder } from '../../model/log-reading.ts';
import type { Piece } from './line-bounds.ts';
import { createHits } from './log-hits.ts';
import { createLineBuffer, wholeLines } from './whole-lines.ts';

/** What was kept of a stream: its first bytes, its last lines, and the surroundings of lines that name a cause. */
export type Kept = {
  readonly bytes: number;
  readonly lead: Buffer;
  readonly ring: Piece;
  readonly hits: readonly Piece[];
};

export type Keeper = {
  push(chunk: Uint8Array): void;
  /** `ended`: the stream came to its end, so its last line is whole. */
  kept(ended: boolean): Kept;
  /** A line that names a cause was seen. */
  readonly found: boolean;
  /** As many hits are kept as are wanted. */
  readonly full: boolean;
};

export type KeeperOptions = { readonly scanner: () => CauseFinder; readonly ringBytes: number };

const LEAD_BYTES = 4096;

/** Keeps what matters of a stream of any length, in bounded memory and whole lines: the rest of a cut line may be a prompt that no redactor recognizes. */
export function createKeeper({ scanner, ringBytes }: KeeperOptions): Keeper {
  const ring = createRing(ringBytes);
  const lines = createLineBuffer();
  const hits = createHits(scanner);
  let lead: Buffer = Buffer.alloc(0);
  let bytes = 0;
  return {
    push(chunk) {
      const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      if (lead.byteLength < LEAD_BYTES) lead = Buffer.concat([lead, buffer.subarray(0, LEAD_BYTES - lead.byteLength)]);
      ring.push(buffer);
      bytes += buffer.byteLength;
      hits.take(lines.push(buffer));
    },
    kept(ended) {
      if (ended) hits.take(lines.rest());
      const last = ring.take();
      return {
        bytes,
        lead,
        ring: wholeLines({ start: bytes - last.byteLength, bytes: last }, ended),
        hits: hits.all(),
      };
    },
    get found() {
      return hits.found;
    },
    get full() {
      return hits.full;
    },
  };
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
