import type { Citation } from '../../../../model/citation.ts';
import { gpuByProduct, gpuMemoryBytes, migProfile } from '../../../../model/gpu-table.ts';
import { MIB } from '../../../../model/quantity.ts';
import type { Evidence } from '../../evidence.ts';
import type { Told } from '../told/account.ts';
import { type Fill, readFills } from './fill.ts';

/** What tools print of the cards. */
export type Cards = {
  /** A card that was full while the process lived or when it was looked at. */
  readonly full: Told | undefined;
  /** One that had nothing left, or that filled up before the end: an engine at work holds nine tenths as a matter of course. */
  readonly tight: Told | undefined;
  /** Memory of the card, or of the part of it that was given, in bytes. */
  readonly room: { readonly bytes: number; readonly part: boolean; readonly from: Told } | undefined;
  readonly fills: readonly Fill[];
};

const FULL = 0.93;
const FREE_MIB = 512;
// Memory in MiB that nvidia-smi prints of T4, A4000, L4 and A10, consumer cards, A100, L40S, A40 and A6000, H100, H20, H200, B200.
const SIZES = [15360, 16376, 23034, 24564, 32607, 40960, 46068, 49140, 81559, 97871, 143771, 183359];

export function readCardsShown(evidence: Evidence, rows: readonly Told[]): Cards {
  const fills = readFills(rows);
  const room = partOf(rows, evidence) ?? wholeOf(evidence, rows);
  const gpus = gpusOf(evidence, rows);
  const ofSmi = (most: number) => gpus.find(({ share, left }) => share >= most || left <= NOTHING)?.from;
  const ofFill = (test: typeof isFull) => fills.find((fill) => test(fill, room?.bytes))?.from;
  const bare = ofPair(rows) ?? ofJob(rows, room?.bytes);
  const full = ofFill(isFull) ?? ofSmi(FULL) ?? bare;
  return { full, tight: ofFill(isTight) ?? ofSmi(1) ?? bare, room, fills };
}

const NOTHING = FREE_MIB * MIB;

function gpusOf({ smi }: Evidence, rows: readonly Told[]) {
  return (smi?.gpus ?? []).flatMap(({ used, total, free }) => {
    if (used === undefined || total === undefined) return [];
    const left = free?.value ?? total.value - used.value;
    return [{ share: used.value / total.value, left, from: toldOf(used.from, rows) }];
  });
}

const RISE = 1.03;

function isTight(fill: Fill, room: number | undefined): boolean {
  const [first = 0] = fill.samples;
  const last = fill.samples.at(-1) ?? 0;
  if (fill.kind === 'free') return last <= FREE_MIB;
  const isFilled = isFull(fill, room) && first > 0 && last >= first * RISE;
  return isFilled || sizesOf(room).some((size) => last >= size - FREE_MIB && last <= size * 1.01);
}

function sizesOf(room: number | undefined): readonly number[] {
  return room === undefined ? SIZES : [room / MIB];
}

function toldOf(from: Citation, rows: readonly Told[]): Told | undefined {
  return from.kind === 'line'
    ? rows.find(({ from: row }) => row.file === from.file && row.line === from.line)
    : undefined;
}

function isFull({ kind, samples }: Fill, room: number | undefined): boolean {
  const last = samples.at(-1) ?? 0;
  if (kind === 'free') return last <= FREE_MIB;
  return isFullOf(last, room);
}

// `45811 MiB` and, below it, `of 46068`.
function ofPair(rows: readonly Told[]): Told | undefined {
  return rows.find(({ text, from }, at) => {
    const used = /^\s*(\d{4,6}) ?MiB\s*$/.exec(text)?.[1];
    const total = /^\s*(?:of|\/) ?(\d{4,6})(?: ?MiB)?\s*$/.exec(rows[at + 1]?.text ?? '')?.[1];
    return from.file === 'nvidia-smi.txt' && used !== undefined && Number(used) >= Number(total) * FULL;
  });
}

// What Slurm counted of a step's cards (gres/gpumem of its accounting, TRESUsageInMax).
function ofJob(rows: readonly Told[], room: number | undefined): Told | undefined {
  return rows.find(({ text }) => {
    const used = /\bgres\/gpumem=(\d{4,7})M\b/.exec(text)?.[1];
    return used !== undefined && isFullOf(Number(used), room);
  });
}

function isFullOf(used: number, room: number | undefined): boolean {
  return sizesOf(room).some((size) => used >= size * FULL && used <= size * 1.01);
}

const MIG = /\bnvidia\.com\/mig-(\dg\.\d{1,3}gb)\b/;
// Limits of HAMi's and Volcano's virtual cards, in MiB.
const GPUMEM = /\b(?:nvidia\.com\/gpumem|volcano\.sh\/vgpu-memory)\b["']?\s{0,8}[:=]\s{0,8}["']?(\d{3,6})\b/;

function partOf(rows: readonly Told[], { readings }: Evidence): Cards['room'] {
  const own = (readings.texts.get('args.txt') ?? '').split('\n').map((text, at) => lineOfArgs(text, at));
  for (const from of [...own, ...rows]) {
    const mig = MIG.exec(from.text)?.[1];
    const profile = mig === undefined ? undefined : migProfile(mig);
    if (profile !== undefined) return { bytes: profile.approxMib * MIB, part: true, from };
    const limit = GPUMEM.exec(from.text)?.[1];
    if (limit !== undefined) return { bytes: Number(limit) * MIB, part: true, from };
  }
  return undefined;
}

function lineOfArgs(text: string, at: number): Told {
  return { text, from: { kind: 'line', file: 'args.txt', line: at + 1, text } };
}

const NAMED =
  /\b(?:gres|gpus)=?[:=]?(?:gpu:)?(t4|v100|a10g?|a30|a40|a100|l4|l40s?|h100|h200)(?::\d+)?\b|\b(A100|H100|H200|A40|L40S|L4|T4|A10G?)\b(?=[^\n]{0,12}\bnode\b)/i;
// The largest that is sold under the name.
const LARGEST_GIB: Readonly<Record<string, number>> = {
  t4: 16,
  v100: 32,
  a10: 24,
  a10g: 24,
  a30: 24,
  a40: 48,
  a100: 80,
  l4: 24,
  l40: 48,
  l40s: 48,
  h100: 96,
  h200: 141,
};

function wholeOf(evidence: Evidence, rows: readonly Told[]): Cards['room'] {
  return listedTotal(evidence, rows) ?? listedName(evidence, rows) ?? saidName(evidence, rows);
}

function listedTotal({ smi }: Evidence, rows: readonly Told[]): Cards['room'] {
  const totals = (smi?.gpus ?? []).flatMap(({ total }) => (total === undefined ? [] : [total]));
  const most = totals.toSorted((a, b) => b.value - a.value)[0];
  const from = most && toldOf(most.from, rows);
  return most && from && { bytes: most.value, part: false, from };
}

function listedName({ smi }: Evidence, rows: readonly Told[]): Cards['room'] {
  const name = smi?.gpus.find((gpu) => gpu.name !== undefined)?.name;
  const found = name && gpuByProduct(name.value);
  const from = name && toldOf(name.from, rows);
  return found && from && { bytes: gpuMemoryBytes(found.gpu), part: false, from };
}

function saidName({ readings }: Evidence, rows: readonly Told[]): Cards['room'] {
  const own = (readings.texts.get('args.txt') ?? '').split('\n').map((text, at) => lineOfArgs(text, at));
  for (const from of [...own, ...rows]) {
    const [, asked, said] = NAMED.exec(from.text) ?? [];
    const gib = LARGEST_GIB[(asked ?? said ?? '').toLowerCase()];
    if (gib !== undefined) return { bytes: gib * 1024 * MIB, part: false, from };
  }
  return undefined;
}
