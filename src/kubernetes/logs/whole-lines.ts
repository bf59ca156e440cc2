import type { Piece } from './line-bounds.ts';

const LF = 10;
// A line that is longer is left out: it would fill what is kept of a log.
const LONGEST_LINE = 64 * 1024;

type LineBuffer = {
  /** The lines that the chunk ends, without one that is too long. */
  push(chunk: Buffer): Piece;
  /** What came after the last line feed. */
  rest(): Piece;
};

/** Makes whole lines of the chunks of a stream. */
export function createLineBuffer(): LineBuffer {
  let carry: Buffer = Buffer.alloc(0);
  let start = 0;
  let skipping = false;
  return {
    push(chunk) {
      let lines = carry.byteLength === 0 ? chunk : Buffer.concat([carry, chunk]);
      if (skipping) {
        const feed = lines.indexOf(LF);
        skipping = feed < 0;
        start += skipping ? lines.byteLength : feed + 1;
        lines = skipping ? Buffer.alloc(0) : lines.subarray(feed + 1);
      }
      const piece = { start, bytes: lines.subarray(0, lines.lastIndexOf(LF) + 1) };
      carry = Buffer.from(lines.subarray(piece.bytes.byteLength));
      start += piece.bytes.byteLength;
      if (carry.byteLength > LONGEST_LINE) {
        skipping = true;
        start += carry.byteLength;
        carry = Buffer.alloc(0);
      }
      return piece;
    },
    rest: () => ({ start, bytes: carry }),
  };
}

/** The whole lines of a piece that may begin and, unless it ends its stream, end within a line. */
export function wholeLines({ start, bytes }: Piece, ended: boolean): Piece {
  const from = start === 0 ? 0 : bytes.indexOf(LF) + 1 || bytes.byteLength;
  const to = ended ? bytes.byteLength : Math.max(from, bytes.lastIndexOf(LF) + 1);
  return { start: start + from, bytes: bytes.subarray(from, to) };
}

// How a line of a log begins behind the kubelet's time, in the engines and their runtimes.
const LOG_LINE =
  /^\S{1,40} (?:\([^()\n]{1,60}\) )?(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL)[ :]|[IWEF]\d{4} \d\d:\d\d|\{")/;

/**
 * A stretch that begins where the runtime has cut the log: it keeps long lines in parts, so the first one may be the rest
 * of a prompt. It is dropped unless it begins as log lines do.
 */
export function withoutCutLine({ start, bytes }: Piece): Piece {
  if (LOG_LINE.test(bytes.subarray(0, 200).toString('latin1'))) return { start, bytes };
  const from = bytes.indexOf(LF) + 1 || bytes.byteLength;
  return { start: start + from, bytes: bytes.subarray(from) };
}
