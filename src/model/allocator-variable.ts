import { type FeatureId, stateOfFeature } from './feature-table.ts';
import { readVersion } from './flag-table.ts';

/** The name for all devices, and the one for CUDA that came before it. */
export const ALLOC_CONF = 'PYTORCH_ALLOC_CONF';
export const CUDA_ALLOC_CONF = 'PYTORCH_CUDA_ALLOC_CONF';

/** Names of the variable that PyTorch's allocator reads, by build: newer releases for all devices, CUDA of older ones, ROCm, Ascend. */
export const ALLOCATOR_VARIABLES = [
  ALLOC_CONF,
  CUDA_ALLOC_CONF,
  'PYTORCH_HIP_ALLOC_CONF',
  'PYTORCH_NPU_ALLOC_CONF',
] as const;

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
