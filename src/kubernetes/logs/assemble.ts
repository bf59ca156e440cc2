import type { LogRead } from '../../model/snapshot.ts';
import type { Kept, Piece } from './keeper.ts';
import { lineStartBefore } from './line-bounds.ts';

/** How a stream ended: `end` is the end of the log, all else cut it short. */
export type Ending = 'end' | 'cap' | 'budget' | 'dropped' | 'deadline';

export type HeadRead = { readonly bytes: Buffer; readonly ending: Ending };
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

/** Pieces whose offsets count from the same byte. `end` is where that log ends, where it is known. */
type Group = { readonly pieces: Piece[]; end: number | undefined };

/** One text of the parts of a log, each byte once, with a remark where something was left out. */
export function assemble(parts: LogParts): Assembled {
  const groups = groupsOf(parts);
  const joined = groups.map(({ pieces }) => joinPieces(pieces));
  const apart = joined.slice(1).map(({ text }, i) => `${remark(joined[i]?.text ?? '', 'some bytes')}${text}`);
  const text = `${joined[0]?.text ?? ''}${apart.join('')}`;
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
  const pieces = [...(head === undefined ? [] : [{ start: 0, bytes: head.bytes }]), ...(deep?.kept.hits ?? [])];
  const ends = [
    ...(head?.ending === 'end' ? [head.bytes.byteLength] : []),
    ...(deep?.ending === 'end' ? [deep.kept.bytes] : []),
  ];
  return [{ pieces, end: ends.length === 0 ? undefined : Math.max(...ends) }];
}

// A window belongs to the group in which its first line stands; else it stands apart.
function place(groups: Group[], { kept, ending }: StreamRead, total: number | undefined): void {
  const own = [...kept.hits, wholeLines(kept.ring)];
  for (const group of groups) {
    const origin = originIn(group, kept) ?? (ending === 'end' && total !== undefined ? total - kept.bytes : undefined);
    if (origin === undefined) continue;
    group.pieces.push(...own.map(({ start, bytes }) => ({ start: start + origin, bytes })));
    if (ending === 'end') group.end = Math.max(group.end ?? 0, origin + kept.bytes);
    return;
  }
  groups.push({ pieces: own, end: undefined });
}

// The kubelet's times make a line its own mark.
function originIn({ pieces }: Group, { lead }: Kept): number | undefined {
  for (const { start, bytes } of pieces) {
    const at = bytes.indexOf(lead.subarray(0, 512));
    if (at < 0) continue;
    const common = Math.min(lead.byteLength, bytes.byteLength - at);
    if (bytes.subarray(at, at + common).equals(lead.subarray(0, common))) return start + at;
  }
  return undefined;
}

// The ring begins wherever its size fell; half a line is no evidence.
function wholeLines(ring: Piece): Piece {
  if (ring.start === 0) return ring;
  const feed = ring.bytes.indexOf(10);
  if (feed < 0 || feed > 65_536) return ring;
  return { start: ring.start + feed + 1, bytes: ring.bytes.subarray(feed + 1) };
}

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
