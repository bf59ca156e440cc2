import type { Cited } from '../../../model/engine-reader.ts';
import { GIB } from '../../../model/quantity.ts';
import { citedNumber } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { notedField } from '../noted-field.ts';

/** One memory for CPU and GPU: Grace Blackwell desktop, Jetson, Apple, and AMD's large integrated GPUs. */
export const UNIFIED =
  /GB10|DGX[ -]?Spark|Jetson|Orin|\bThor\b|Apple|\bM[1-9] (?:Max|Pro|Ultra)|Strix|Ryzen AI|8060S|unified/i;

/** Memory of one card: by the failure's own account, else by who knows it. */
export function gpuTotal({ account, node, smi, incident }: Evidence): Cited<number> | undefined {
  const ofNode = node === undefined ? undefined : citedNumber(node.gpuMemory);
  const nominal = notedField(incident?.gpu?.memory_gib, '/gpu/memory_gib');
  const ofIncident = nominal && { value: nominal.value * GIB, from: nominal.from };
  return account?.total ?? smi?.gpus[0]?.total ?? ofNode ?? ofIncident;
}
