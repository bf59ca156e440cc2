import { type FeatureId, stateOfFeature } from './feature-table.ts';
import { readVersion } from './flag-table.ts';

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

type Against = { readonly flag: RegExp; readonly why: string; readonly feature: FeatureId };

const AGAINST: readonly Against[] = [
  { flag: /^--enable-sleep-mode$/, why: 'sleep mode', feature: 'vllm.sleep-against-segments' },
  { flag: /^--kv-transfer-config(?:=|$)/, why: 'a KV connector', feature: 'vllm.connector-against-segments' },
];

/** What of a vLLM command refuses expandable segments in this version, or may where the version is not known; undefined for any other word. */
export function refusesSegments(word: string, version: string | undefined): string | undefined {
  const flag = word.replaceAll('_', '-');
  const release = readVersion('vllm', version);
  const isMet = (one: Against) =>
    one.flag.test(flag) && (release === undefined || stateOfFeature(one.feature, release) !== 'no');
  return AGAINST.find(isMet)?.why;
}
