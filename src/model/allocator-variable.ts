import { stateOfFeature } from './feature-table.ts';
import { readVersion } from './flag-table.ts';
import { fromTables } from './reference-tables.ts';

/** The name for all devices, and those for CUDA and for ROCm that came before it. */
export const ALLOC_CONF = 'PYTORCH_ALLOC_CONF';
export const CUDA_ALLOC_CONF = 'PYTORCH_CUDA_ALLOC_CONF';
export const HIP_ALLOC_CONF = 'PYTORCH_HIP_ALLOC_CONF';
// Builds for ROCm read all three (pytorch/pytorch c10/cuda/CUDAAllocatorConfig.h).
const OF_PYTORCH: readonly string[] = [ALLOC_CONF, CUDA_ALLOC_CONF, HIP_ALLOC_CONF];
// Ascend's plug-in has an allocator of its own (Ascend/pytorch docs, PYTORCH_NPU_ALLOC_CONF).
const OF_ASCEND: readonly string[] = ['PYTORCH_NPU_ALLOC_CONF'];

/** Names of the variable that PyTorch's allocator reads, by build: newer releases for all devices, CUDA of older ones, ROCm, Ascend. */
export const ALLOCATOR_VARIABLES: readonly string[] = [...OF_PYTORCH, ...OF_ASCEND];

/** Stands for a device whose builds read no name that is known. */
export const NO_VARIABLE = 'none';

/** The names that are known to be read by builds for a device, as an allocator calls it (`HIP`). */
export function variablesOf(device: string): readonly string[] {
  if (device === 'NPU') return OF_ASCEND;
  return device === 'CUDA' || device === 'HIP' ? OF_PYTORCH : [];
}

/** Whether one build may read both names. */
export function areReadAlike(one: string, other: string): boolean {
  return OF_ASCEND.includes(one) === OF_ASCEND.includes(other);
}

const againstSegments = fromTables(({ knobs }) =>
  Object.entries(knobs).flatMap(([engine, { againstSegments = [] }]) =>
    againstSegments.map((one) => ({ engine, ...one })),
  ),
);

/** What of an engine's command refuses expandable segments in this version, or may where the version is not known; undefined for any other word. */
export function refusesSegments(word: string, version: string | undefined): string | undefined {
  const flag = word.replaceAll('_', '-').replace(/=.*$/s, '');
  const isMet = ({ engine, feature }: { engine: string; feature: string }) => {
    const release = readVersion(engine, version);
    return release === undefined || stateOfFeature(feature, release) !== 'no';
  };
  return againstSegments().find((one) => one.flag === flag && isMet(one))?.why;
}
