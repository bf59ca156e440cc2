import { isRemark, type LineCitation } from '../../../model/citation.ts';
import { parseSize } from '../../../model/quantity.ts';
import type { Evidence } from '../evidence.ts';
import { allLastLines } from '../weigh/tail-lines.ts';

/** What a rank or a worker holds of RAM, in bytes, by readings that people kept. */
export type OfRank = { readonly name: string; readonly own: number; readonly from: LineCitation };

// What a process holds, and not what a machine has or a disk gives.
const RESIDENT = /\b(?:RSS|RES|USS|PSS|resident)\b|常驻/i;
// Said of the machine as well: it has to stand in the row of the ranks itself.
const OF_HOST = /\b(?:RAM|(?:host|system|CPU) mem(?:ory)?)\b|内存/i;
const DEVICE = /\b(?:gpus?|vram|hbm|cuda|nvidia-smi)\b|显存/i;
// `rank 0`, `worker1`, `TP0`, `Worker_TP1`, `tp_rank=3`.
const MEMBER =
  /(?<![A-Za-z])(?:(?:tp|dp|pp|ep)?[ _-]?(?:rank|worker|proc(?:ess)?|shard)|tp|dp|pp)[ _#=-]{0,2}\d{1,3}\b/gi;
const SIZE = /(?<![\w.,-])\d{1,6}(?:\.\d{1,3})? ?[GMT]i?B?\b/g;
const OF_MEMBER = new RegExp(String.raw`(${MEMBER.source})[ \t:=|,()a-z]{1,40}?(${SIZE.source})`, 'gi');

// A heading stands above its rows.
const HEADED = 12;

/**
 * What the ranks hold, by the rows and tables of the files beside the log. Of several rows for the same ranks, as of
 * loaders that were compared, the one that holds most: what failed had the most.
 */
export function readRankSizes({ readings }: Pick<Evidence, 'readings'>): readonly OfRank[] {
  const found = readings.logs.flatMap((log) => {
    const lines = allLastLines(log).filter((line) => !isRemark(line));
    return [...lines.flatMap((from, at) => readRow(from, lines.slice(Math.max(0, at - HEADED), at))), readList(lines)];
  });
  return found.toSorted((a, b) => sumOf(b) - sumOf(a))[0] ?? [];
}

// `loader  RSS rank 0  RSS rank 1` above `runai_streamer  221.4 GB  219.0 GB`: a size for each rank of the heading.
function readRow(from: LineCitation, above: readonly LineCitation[]): readonly (readonly OfRank[])[] {
  const head = above.findLast(({ text }) => namesOf(text).length > 1);
  const names = head === undefined ? [] : namesOf(head.text);
  const sizes = from.text.match(SIZE) ?? [];
  if (head === undefined || sizes.length !== names.length || names.length < 2) return [];
  if (!isOfRam([...above, from]) || namesOf(from.text).length > 0) return [];
  return [names.flatMap((name, at) => rankOf(name, sizes[at], from))];
}

// `rank 0: 221 GB RSS`, one in a line or all in one.
function readList(lines: readonly LineCitation[]): readonly OfRank[] {
  const told = lines.flatMap((from, at) => {
    if (!isOfRam(lines.slice(Math.max(0, at - HEADED), at + 1))) return [];
    return [...from.text.matchAll(OF_MEMBER)].flatMap(([, name = '', size]) => rankOf(name, size, from));
  });
  return [...new Map(told.toSorted((a, b) => a.own - b.own).map((one) => [one.name, one])).values()];
}

function isOfRam(lines: readonly LineCitation[]): boolean {
  const isTold = lines.some(({ text }) => RESIDENT.test(text)) || OF_HOST.test(lines.at(-1)?.text ?? '');
  return isTold && !lines.some(({ text }) => DEVICE.test(text));
}

function namesOf(text: string): readonly string[] {
  return [...new Set((text.match(MEMBER) ?? []).map((name) => name.toLowerCase()))];
}

function rankOf(name: string, size: string | undefined, from: LineCitation): readonly OfRank[] {
  const own = size === undefined ? undefined : parseSize(size);
  return own === undefined ? [] : [{ name: name.toLowerCase(), own, from }];
}

function sumOf(ranks: readonly OfRank[]): number {
  return ranks.reduce((sum, { own }) => sum + own, 0);
}
