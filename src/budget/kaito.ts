import { compareVersions } from '../model/metric-table.ts';
import { GIB, hundredths, MIB, type Reckoned, reckon } from './reckoned.ts';

// pkg/model/interface.go and presets/workspace/inference/vllm/inference_api.py of kaito-project/kaito, tags v0.4.0 - v0.12.0.
const CAP = 0.95;
const KEEP_BYTES = 1.5 * GIB;
const FIXED = 0.84;
const FIXED_A10 = 0.82;
const IF_UNKNOWN = 0.9;

/** The fraction by card size of KAITO 0.4.5 - 0.6.2: 1.5 GiB stay free, at most 0.95. */
export function utilizationByCard(totalBytes: number): number {
  return Math.max(0, Math.min(CAP, hundredths(1 - KEEP_BYTES / totalBytes, 'down')));
}

/** `--gpu-memory-utilization` that KAITO hands to vLLM. */
export function kaitoUtilization(version: string, card: { totalBytes?: number; product?: string }): number {
  if (compareVersions(version, '0.4.5') < 0) return CAP;
  if (compareVersions(version, '0.7.0') < 0) {
    return card.totalBytes === undefined ? IF_UNKNOWN : utilizationByCard(card.totalBytes);
  }
  const isA10 = /(?:^|[-\s])A10$/i.test(card.product ?? '');
  return isA10 && compareVersions(version, '0.12.0') >= 0 ? FIXED_A10 : FIXED;
}

/** The value of inference_api.py where nobody gives one, 0.7.0 and newer. */
export function kaitoOwnUtilization(freeBytes: number | undefined, totalBytes: number | undefined): Reckoned {
  const exact = reckon({ freeBytes, totalBytes }, (of) => (of.freeBytes - 600 * MIB) / of.totalBytes);
  if (exact.kind === 'unknown') return { kind: 'known', value: FIXED };
  return { kind: 'known', value: Math.min(CAP, hundredths(exact.value, 'down')) };
}

export type KaitoLengthRule = 'search' | 'calculator' | 'auto';

/** How KAITO finds `--max-model-len` where it is not given. */
export function kaitoLengthRule(version: string): KaitoLengthRule {
  if (compareVersions(version, '0.8.0') < 0) return 'search';
  return compareVersions(version, '0.11.0') < 0 ? 'calculator' : 'auto';
}

/** The vLLM inside a KAITO release; undefined for one that is not known. */
export function kaitoVllm(version: string): string | undefined {
  return KAITO_VLLM.findLast(([since]) => compareVersions(version, since) >= 0)?.[1];
}

const KAITO_VLLM: readonly (readonly [string, string | undefined])[] = [
  ['0', '0.6.3'],
  ['0.4.5', '0.8.2'],
  ['0.4.6', '0.8.5'],
  // Of 0.5.0 - 0.6.1 the pinned version was not read.
  ['0.5.0', undefined],
  ['0.6.2', '0.9.0'],
  ['0.7.0', '0.10.1.1'],
  ['0.8.0', '0.12.0'],
  ['0.9.0', '0.14.1'],
  ['0.10.0', '0.17.1'],
  ['0.11.0', '0.22.1'],
  ['0.12.0', '0.25.1'],
  ['0.13.0', undefined],
];

/** The length that the search of 0.4.0 - 0.7.2 ends at; `fits` is the engine's answer for a length. */
export function kaitoSearch(limitTokens: number, fits: (lengthTokens: number) => boolean, steps = 6): number {
  let low = 0;
  let high = 2 * limitTokens;
  for (let step = 0; step < steps && low < high; step++) {
    const middle = Math.floor((low + high + 1) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** What the node estimate of 0.11 and newer wants of one GPU, to be held against its memory x 0.84. */
export function kaitoNodeEstimate(input: { weightsBytes: number | undefined; kvBytes: number | undefined }): Reckoned {
  return reckon(input, (of) => of.weightsBytes * 1.02 + 2.3 * GIB + 0.05 * of.weightsBytes + of.kvBytes);
}

/** Host memory that LMCache may take from 0.7.0 on: of the node's free memory, whatever the container's limit. */
export function kaitoHostCache(input: {
  version: string;
  nodeTotalBytes: number | undefined;
  nodeUsedBytes: number | undefined;
  share?: number;
}): Reckoned {
  if (compareVersions(input.version, '0.7.0') < 0) return { kind: 'known', value: 0 };
  const { nodeTotalBytes, nodeUsedBytes, share = 0.5 } = input;
  return reckon({ nodeTotalBytes, nodeUsedBytes }, (of) => Math.max(0, of.nodeTotalBytes - of.nodeUsedBytes) * share);
}

/** Whether the webhook of v1alpha1 asks for `max-model-len`. The only place where 20 GB are a threshold. */
export function kaitoAsksForLength(input: { gpus: number; perGpuNominalGb: number; distributed: boolean }): boolean {
  return input.distributed || (input.gpus > 1 && input.perGpuNominalGb < 20);
}
