import type { LogRead } from '../../model/snapshot.ts';
import type { Kept } from './keeper.ts';
import { lineEndAfter, type Piece } from './line-bounds.ts';
import { wholeLines, withoutCutLine } from './whole-lines.ts';

/** How a stream ended: `end` is the end of the log, all else cut it short. */
export type Ending = 'end' | 'cap' | 'budget' | 'dropped' | 'deadline';

/** `rotated`: the beginning of the log was rotated away, perhaps within a line. */
export type HeadRead = { readonly bytes: Buffer; readonly ending: Ending; readonly rotated: boolean };
export type StreamRead = { readonly kept: Kept; readonly ending: Ending };

export type LogParts = {
  readonly head: HeadRead | undefined;
  /** Windows near the end, in the order of the log; the last one is the end. */
  readonly windows: readonly StreamRead[];
  /** The whole log as it was searched. */
  readonly deep: StreamRead | undefined;
};

export type Assembled = {
  readonly text: string;
  readonly totalBytes: number | null;
  readonly parts: LogRead['parts'];
  /** Bytes between the kept parts; null where it is not known how many. */
  readonly missing: number | null;
};

/** Pieces whose offsets count from the same byte. `end` is where that log ends, where it is known; `isCut`: it may begin within a line. */
type Group = { readonly pieces: Piece[]; end: number | undefined; readonly isCut: boolean };

/** One text of the parts of a log, each byte once, with a remark where something was left out. */
export function assemble(parts: LogParts): Assembled {
  const groups = groupsOf(parts);
  const joined = groups.map(({ pieces, isCut }) => joinPieces(isCut ? pieces.map(withoutCutStart) : pieces));
  const texts = joined.flatMap(({ text }) => (text === '' ? [] : [text]));
  const text = texts.reduce((all, next) => `${all}${all === '' ? '' : remark(all, 'some bytes')}${next}`, '');
  const missing = groups.length > 1 ? null : (joined[0]?.missing ?? 0);
  const total = parts.head === undefined ? undefined : groups[0]?.end;
  const whole = missing === 0 && total !== undefined && total === joined[0]?.end;
  return { text, totalBytes: total ?? null, parts: whole ? ['whole'] : namesOf(parts), missing };
}

function namesOf({ head, windows, deep }: LogParts): LogRead['parts'] {
  return [
    ...(head === undefined ? [] : (['head'] as const)),
    ...(deep === undefined ? [] : (['mid'] as const)),
    ...(windows.length === 0 ? [] : (['crash'] as const)),
  ];
}

function groupsOf(parts: LogParts): Group[] {
  const { windows, deep } = parts;
  const groups = firstGroup(parts);
  for (const [i, window] of windows.entries()) {
    if (window.kept.bytes === 0) continue;
    const isLast = i === windows.length - 1;
    place(groups, window, isLast && deep?.ending === 'end' ? deep.kept.bytes : undefined);
  }
  return groups;
}

function firstGroup({ head, deep }: LogParts): Group[] {
  if (head === undefined && deep === undefined) return [];
  const own = head === undefined ? [] : [wholeLines({ start: 0, bytes: head.bytes }, head.ending === 'end')];
  const pieces = [...own, ...(deep?.kept.hits ?? [])];
  const ends = [
    ...(head?.ending === 'end' ? [head.bytes.byteLength] : []),
    ...(deep?.ending === 'end' ? [deep.kept.bytes] : []),
  ];
  return [{ pieces, end: ends.length === 0 ? undefined : Math.max(...ends), isCut: head?.rotated === true }];
}

// A window belongs to the group in which its first line stands; else it stands apart.
function place(groups: Group[], { kept, ending }: StreamRead, total: number | undefined): void {
  const own = [...kept.hits, kept.ring];
  for (const group of groups) {
    const known = originIn(group, kept);
    const origin = known ?? (ending === 'end' && total !== undefined ? total - kept.bytes : undefined);
    if (origin === undefined) continue;
    const whole = known === undefined ? own.map(withoutCutStart) : own;
    group.pieces.push(...whole.map(({ start, bytes }) => ({ start: start + origin, bytes })));
    if (ending === 'end') group.end = Math.max(group.end ?? 0, origin + kept.bytes);
    return;
  }
  groups.push({ pieces: own, end: undefined, isCut: true });
}

function withoutCutStart(piece: Piece): Piece {
  return piece.start === 0 ? withoutCutLine(piece) : piece;
}

// The kubelet's times make a line its own mark.
function originIn({ pieces }: Group, { lead }: Kept): number | undefined {
  for (const { start, bytes } of pieces) {
    const at = bytes.indexOf(lead.subarray(0, 512));
    if (at < 0 || (at > 0 && bytes[at - 1] !== 10)) continue;
    const common = Math.min(lead.byteLength, bytes.byteLength - at);
    if (bytes.subarray(at, at + common).equals(lead.subarray(0, common))) return start + at;
  }
  return undefined;
}

export type Joined = { readonly text: string; readonly missing: number; readonly end: number };

/** Pieces of one log in their order, each byte once, with a remark in each gap. `missing` counts the bytes of the gaps. */
export function joinPieces(pieces: readonly Piece[]): Joined {
  const out: Buffer[] = [];
  let missing = 0;
  let end = Math.min(...pieces.map(({ start }) => start));
  for (const piece of pieces.toSorted((a, b) => a.start - b.start)) {
    const gap = piece.start - end;
    // Whole lines, also where the count of bytes is off because the kubelet gave part of a line a time of its own.
    const fresh = piece.bytes.subarray(gap < 0 ? lineEndAfter(piece.bytes, -gap - 1) : 0);
    if (fresh.byteLength === 0) continue;
    if (gap > 0) {
      missing += gap;
      out.push(Buffer.from(remark(lastOf(out), `${gap} bytes`)));
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
