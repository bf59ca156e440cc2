import type { Cited } from '../../model/engine-reader.ts';
import { gpuByProduct, gpuMemoryBytes } from '../../model/gpu-table.ts';
import { GIB, MIB } from '../../model/quantity.ts';
import { citedNumber } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { notedField } from '../evidence/snapshot-files.ts';
import { totalInLog } from './card-of-log.ts';
import { readSlice } from './slice.ts';

/** One memory for CPU and GPU: Grace Blackwell desktop, Jetson, Apple, and AMD's large integrated GPUs. */
export const UNIFIED =
  /GB10|DGX[ -]?Spark|Jetson|Orin|\bThor\b|Apple|\bM[1-9] (?:Max|Pro|Ultra)|Strix|Ryzen AI|8060S|unified/i;

// What CUDA and ROCm call the memory of the device on machines with 128 GB for both (GB10 119.6 to 121.7 GiB, Jetson AGX Thor
// 122.8 GiB): no card of its own memory has as much.
const UNIFIED_BYTES = [117 * GIB, 124 * GIB] as const;

/** Whether memory of this size is one pool with RAM; undefined where it tells nothing. */
export function isUnifiedBySize({ value }: Cited<number>): true | undefined {
  return (value >= UNIFIED_BYTES[0] && value <= UNIFIED_BYTES[1]) || undefined;
}

/** Memory of one card: by the failure's own account, else by who knows it. */
export function gpuTotal(evidence: Evidence): Cited<number> | undefined {
  const { account, node, smi, incident } = evidence;
  if (account?.total !== undefined) return account.total;
  const ofNode = node === undefined ? undefined : citedNumber(node.gpuMemory);
  const nominal = notedField(incident?.gpu?.memory_gib, '/gpu/memory_gib');
  const ofIncident = nominal && { value: nominal.value * GIB, from: nominal.from };
  const slice = readSlice(evidence);
  const ofSlice = slice?.profile && { value: slice.profile.approxMib * MIB, from: slice.from };
  // The tools and labels of a node name the whole card, whatever part of it a container was given.
  const isOwn = ({ value }: Cited<number>) => ofSlice === undefined || value <= ofSlice.value * ABOUT;
  const read = [smi?.gpus[0]?.total, ofNode, ofIncident].find((one) => one !== undefined && isOwn(one));
  return read ?? ofSlice ?? byName({ smi, incident }) ?? totalInLog(evidence);
}

/** The sizes of profiles are about what drivers make of them. */
const ABOUT = 1.1;

// A list of cards without their sizes, or a note of the model: the name of a card tells its memory, that of a slice too.
function byName({ smi, incident }: Pick<Evidence, 'smi' | 'incident'>): Cited<number> | undefined {
  const name = smi?.gpus[0]?.name ?? notedField(incident?.gpu?.model, '/gpu/model');
  const found = name && gpuByProduct(name.value);
  if (name === undefined || found === undefined) return undefined;
  return { value: found.mig === undefined ? gpuMemoryBytes(found.gpu) : found.mig.approxMib * MIB, from: name.from };
}
