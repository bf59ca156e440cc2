import type { Piece } from './keeper.ts';
import { lineStartBefore } from './line-bounds.ts';

export type Joined = { readonly text: string; readonly missing: number; readonly end: number };

/** Pieces of one log in their order, each byte once, with a remark in each gap. `missing` counts the bytes of the gaps. */
export function joinPieces(pieces: readonly Piece[]): Joined {
  const out: Buffer[] = [];
  let missing = 0;
  let end = 0;
  for (const piece of pieces.toSorted((a, b) => a.start - b.start)) {
    const gap = out.length === 0 ? 0 : piece.start - end;
    const fresh = piece.bytes.subarray(Math.max(0, -gap));
    if (fresh.byteLength === 0) continue;
    if (gap > 0) {
      const lost = gap + cutTornLine(out);
      missing += lost;
      out.push(Buffer.from(remark(lastOf(out), `${lost} bytes`)));
    }
    out.push(fresh);
    end = piece.start + piece.bytes.byteLength;
  }
  return { text: Buffer.concat(out).toString('utf8'), missing, end };
}

/** A remark on a line of its own after `before`: the scanner passes over such lines. */
export function remark(before: string, what: string): string {
  return `${before === '' || before.endsWith('\n') ? '' : '\n'}# ... ${what} not kept ...\n`;
}

function lastOf(out: readonly Buffer[]): string {
  return out.at(-1)?.subarray(-1).toString('latin1') ?? '';
}

// The part before a gap may end within a line, or within a character. A line that fills the part is kept as it is.
function cutTornLine(out: Buffer[]): number {
  const last = out.at(-1);
  if (last === undefined || last.at(-1) === 10) return 0;
  const start = lineStartBefore(last, last.byteLength);
  if (start === 0 || last.byteLength - start > 65_536) return 0;
  out[out.length - 1] = last.subarray(0, start);
  return last.byteLength - start;
}
