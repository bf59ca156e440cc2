import { gpuByProduct, gpuMemoryBytes, migProfile } from '../../../../model/gpu-table.ts';
import { MIB } from '../../../../model/quantity.ts';
import type { Evidence } from '../../evidence.ts';
import type { Told } from '../told/account.ts';
import { type Fill, readFills } from './fill.ts';

/** What tools print of the cards. */
export type Cards = {
  /** A card that was full while the process lived or when it was looked at. */
  readonly full: Told | undefined;
  /** A card is shown that had room. */
  readonly roomy: boolean;
  /** Memory of the card, or of the part of it that was given, in bytes. */
  readonly room: { readonly bytes: number; readonly part: boolean; readonly from: Told } | undefined;
  readonly fills: readonly Fill[];
};

const FULL = 0.93;
const LOW = 0.8;
const FREE_MIB = 512;
// Memory in MiB that nvidia-smi prints of T4, A4000, L4 and A10, consumer cards, A100, L40S, A40 and A6000, H100, H20, H200, B200.
const SIZES = [15360, 16376, 23034, 24564, 32607, 40960, 46068, 49140, 81559, 97871, 143771, 183359];

export function readCardsShown(evidence: Evidence, rows: readonly Told[]): Cards {
  const fills = readFills(rows);
  const room = partOf(rows, evidence) ?? wholeOf(evidence, rows);
  const gpus = (evidence.smi?.gpus ?? []).flatMap(({ used, total, free }) => {
    const share = used && total ? used.value / total.value : undefined;
    return used === undefined || share === undefined
      ? []
      : [{ share, free: free?.value, from: toldOf(used.from, rows) }];
  });
  const ofSmi = gpus.find(({ share, free }) => share >= FULL || (free !== undefined && free <= FREE_MIB * MIB))?.from;
  const ofFill = fills.find((fill) => isFull(fill, room?.bytes))?.from;
  const full = ofFill ?? ofSmi ?? ofPair(rows) ?? ofJob(rows, room?.bytes);
  const roomy =
    full === undefined && (gpus.some(({ share }) => share < LOW) || fills.some((fill) => hasRoom(fill, room?.bytes)));
  return { full, roomy, room, fills };
}

function toldOf(from: unknown, rows: readonly Told[]): Told | undefined {
  const at = from as { readonly file?: string; readonly line?: number };
  return rows.find(({ from: row }) => row.file === at.file && row.line === at.line);
}

function isFull({ kind, samples }: Fill, room: number | undefined): boolean {
  const last = samples.at(-1) ?? 0;
  if (kind === 'free') return last <= FREE_MIB;
  const sizes = room === undefined ? SIZES : [room / MIB];
  return sizes.some((size) => last >= size * FULL && last <= size * 1.01);
}

function hasRoom({ kind, samples }: Fill, room: number | undefined): boolean {
  const last = samples.at(-1) ?? 0;
  return kind === 'free' ? last > FREE_MIB * 8 : room !== undefined && last < (room / MIB) * LOW;
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
  return (room === undefined ? SIZES : [room / MIB]).some((size) => used >= size * FULL && used <= size * 1.01);
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

function wholeOf({ smi, readings }: Evidence, rows: readonly Told[]): Cards['room'] {
  const totals = (smi?.gpus ?? []).flatMap(({ total }) => (total === undefined ? [] : [total]));
  const most = totals.toSorted((a, b) => b.value - a.value)[0];
  const told = most && toldOf(most.from, rows);
  if (most !== undefined && told !== undefined) return { bytes: most.value, part: false, from: told };
  for (const { name } of smi?.gpus ?? []) {
    const found = name === undefined ? undefined : gpuByProduct(name.value);
    const from = name && toldOf(name.from, rows);
    if (found !== undefined && from !== undefined) return { bytes: gpuMemoryBytes(found.gpu), part: false, from };
  }
  const own = (readings.texts.get('args.txt') ?? '').split('\n').map((text, at) => lineOfArgs(text, at));
  for (const from of [...own, ...rows]) {
    const [, asked, said] = NAMED.exec(from.text) ?? [];
    const gib = LARGEST_GIB[(asked ?? said ?? '').toLowerCase()];
    if (gib !== undefined) return { bytes: gib * 1024 * MIB, part: false, from };
  }
  return undefined;
}
