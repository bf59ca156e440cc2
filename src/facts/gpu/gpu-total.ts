import type { Cited } from '../../model/engine-reader.ts';
import { type GpuProduct, gpuByProduct, gpuMemoryBytes } from '../../model/gpu-table.ts';
import { GIB, MIB } from '../../model/quantity.ts';
import { hasRole, type Role } from '../../model/signature-roles.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { readSlice } from '../evidence/mig-slice.ts';
import { notedField } from '../evidence/snapshot-files.ts';
import { citeHit, type Weighed } from '../evidence/weigh.ts';
import { citedNumber } from '../log/draft.ts';
import { fullestOf, measuredTotal, sliceInUse } from './device-memory.ts';

/** One memory for CPU and GPU: Grace Blackwell desktop, Jetson, Apple, and AMD's large integrated GPUs. */
export const UNIFIED =
  /GB10|DGX[ -]?Spark|Jetson|Orin|\bThor\b|Apple|\bM[1-9] (?:Max|Pro|Ultra)|Strix|Ryzen AI|8060S|unified/i;

/** Memory of one GPU: by the failure's own account, else by who knows it. */
export function gpuTotal(evidence: Evidence): Cited<number> | undefined {
  const { account, node, smi, incident } = evidence;
  if (account?.total !== undefined) return sliceInUse(evidence)?.total ?? account.total;
  const noted = notedField(incident?.gpu?.memory_gib, '/gpu/memory_gib');
  const slice = readSlice(evidence);
  const ofSlice = slice?.profile && { value: slice.profile.approxMib * MIB, from: slice.from };
  // The tools and labels of a node name the whole GPU, whatever part of it a container was given.
  const isOwn = ({ value }: Cited<number>) => ofSlice === undefined || value <= ofSlice.value * ABOUT;
  const read = [
    fullestOf(smi?.gpus)?.total,
    measuredTotal(evidence),
    node && citedNumber(node.gpuMemory),
    noted && { value: noted.value * GIB, from: noted.from },
  ].find((one) => one !== undefined && isOwn(one));
  return read ?? ofSlice ?? byName(evidence) ?? totalInLog(evidence);
}

/** The sizes of profiles are about what drivers make of them. */
const ABOUT = 1.1;

// A list of GPUs without their sizes, or a note of the model: the name of a GPU tells its memory, that of a slice too.
function byName({ smi, incident }: Pick<Evidence, 'smi' | 'incident'>): Cited<number> | undefined {
  const name = smi?.gpus[0]?.name ?? notedField(incident?.gpu?.model, '/gpu/model');
  const found = name && gpuByProduct(name.value);
  return name && found && { value: memoryOf(found), from: name.from };
}

function memoryOf({ gpu, mig }: GpuProduct): number {
  return mig === undefined ? gpuMemoryBytes(gpu) : mig.approxMib * MIB;
}

/** The name of the GPUs as ggml prints it, of those that it takes where it says so; undefined where they differ. */
export function nameInLog(evidence: Evidence): Cited<string> | undefined {
  const taken = hitsOf(evidence, 'device-taken');
  const [first, ...rest] = taken.length > 0 ? taken : hitsOf(evidence, 'device-listed');
  const name = first?.hit.captures.name;
  if (first === undefined || name === undefined || rest.some(({ hit }) => hit.captures.name !== name)) return undefined;
  return { value: name, from: citeHit(first) };
}

// As printed, else by its name; no GPU has less than was free of it.
function totalInLog(evidence: Evidence): Cited<number> | undefined {
  const name = nameInLog(evidence);
  if (name === undefined) return undefined;
  const printed = hitsOf(evidence, 'device-listed').find(
    ({ hit: { captures } }) => captures.name === name.value && captures.mib !== undefined,
  );
  if (printed !== undefined) return { value: Number(printed.hit.captures.mib) * MIB, from: citeHit(printed) };
  const found = gpuByProduct(name.value);
  const value = found && memoryOf(found);
  const isMore = hitsOf(evidence, 'device-taken').some(
    ({ hit }) => value !== undefined && Number(hit.captures.mib) * MIB > value,
  );
  return value === undefined || isMore ? undefined : { value, from: name.from };
}

function hitsOf({ weighing }: Evidence, role: Role): readonly Weighed[] {
  return weighing.all.filter(({ signature }) => hasRole(signature, role));
}
