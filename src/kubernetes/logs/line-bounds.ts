const LF = 10;

/** Lines of a stream that were kept; `start` is their offset there. */
export type Piece = { readonly start: number; readonly bytes: Buffer };

/** Where the line begins that holds byte `at`. */
export function lineStartBefore(buffer: Buffer, at: number): number {
  return at <= 0 ? 0 : buffer.lastIndexOf(LF, at - 1) + 1;
}

/** The end of the line that holds byte `at`, its line feed included; the end of the buffer where the line does not end in it. */
export function lineEndAfter(buffer: Buffer, at: number): number {
  if (at >= buffer.byteLength) return buffer.byteLength;
  const feed = buffer.indexOf(LF, at);
  return feed < 0 ? buffer.byteLength : feed + 1;
}

/** The end of the first `lines` lines, of those that fit into `room` bytes; `left` lines were not there. */
export function skipLines(buffer: Buffer, lines: number, room: number): { end: number; left: number } {
  let end = 0;
  let left = lines;
  while (left > 0 && end < buffer.byteLength) {
    const feed = buffer.indexOf(LF, end);
    const next = feed < 0 ? buffer.byteLength : feed + 1;
    if (next > room) return { end, left: 0 };
    end = next;
    if (feed < 0) break;
    left -= 1;
  }
  return { end, left };
}
