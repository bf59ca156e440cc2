import { compareVersions } from '../model/metric-table.ts';
import { GIB, MIB, type Reckoned, reckon } from './reckoned.ts';

type Maybe = number | undefined;

/** How vLLM sizes its pool: `v0-device` up to 0.6.4, `split` from 0.6.5 to about 0.22, `consumed` after. */
export type VllmSizing = 'v0-device' | 'split' | 'consumed';

export function vllmSizing(version: string): VllmSizing {
  if (compareVersions(version, '0.6.5') < 0) return 'v0-device';
  return compareVersions(version, '0.22', 2) <= 0 ? 'split' : 'consumed';
}

/**
 * Whether the graph pool of vLLM is counted inside the fraction: from 0.21 with the first model runner, from 0.29 with
 * the second. Which runner a model gets between is its architecture's affair, so 0.22 - 0.28 can not be told.
 */
export function graphsInsideFraction(version: string): boolean | undefined {
  if (compareVersions(version, '0.21') < 0) return false;
  if (compareVersions(version, '0.22') < 0 || compareVersions(version, '0.29') >= 0) return true;
  return undefined;
}

/** vLLM V0 up to 0.6.4: the peak of the whole device, a neighbour's growth included. */
export function vllmDevicePool(input: {
  readonly totalBytes: Maybe;
  readonly utilization: Maybe;
  readonly freeAtStartBytes: Maybe;
  readonly freeAtPeakBytes: Maybe;
}): Reckoned {
  return reckon(input, (of) => of.totalBytes * of.utilization - (of.freeAtStartBytes - of.freeAtPeakBytes));
}

/** vLLM V0 from 0.6.5 and V1 up to about 0.22: what the fraction leaves beside weights, activations and what PyTorch does not own. */
export function vllmSplitPool(input: {
  readonly totalBytes: Maybe;
  readonly utilization: Maybe;
  readonly weightsBytes: Maybe;
  readonly activationBytes: Maybe;
  readonly nonTorchBytes: Maybe;
}): Reckoned {
  return reckon(
    input,
    (of) => of.totalBytes * of.utilization - of.weightsBytes - of.activationBytes - of.nonTorchBytes,
  );
}

/** vLLM V1, newest: what was consumed since the start is charged, whoever took it. */
export function vllmConsumedPool(input: {
  readonly totalBytes: Maybe;
  readonly utilization: Maybe;
  readonly freeAtStartBytes: Maybe;
  readonly freeAfterProfileBytes: Maybe;
  readonly torchPeakBytes: Maybe;
  readonly torchAllocatedBytes: Maybe;
  readonly graphEstimateBytes: Maybe;
}): Reckoned {
  return reckon(input, (of) => {
    const requested = Math.ceil(of.totalBytes * of.utilization);
    const consumed = of.freeAtStartBytes - of.freeAfterProfileBytes;
    return requested - consumed - (of.torchPeakBytes - of.torchAllocatedBytes) - of.graphEstimateBytes;
  });
}

/** The fraction that would give the same pool without the graph estimate, as vLLM 0.18 and newer print it. */
export function equivalentUtilization(utilization: Maybe, graphEstimateBytes: Maybe, totalBytes: Maybe): Reckoned {
  return reckon(
    { utilization, graphEstimateBytes, totalBytes },
    (of) => of.utilization - of.graphEstimateBytes / of.totalBytes,
  );
}

/** SGLang: free now, less what the fraction leaves outside. */
export function sglangPool(input: {
  readonly freeNowBytes: Maybe;
  readonly totalBeforeLoadBytes: Maybe;
  readonly fraction: Maybe;
  readonly multimodalReserveBytes?: Maybe;
}): Reckoned {
  const { multimodalReserveBytes = 0, ...parts } = input;
  return reckon(
    { ...parts, multimodalReserveBytes },
    (of) => of.freeNowBytes - of.totalBeforeLoadBytes * (1 - of.fraction) - of.multimodalReserveBytes,
  );
}

const SGLANG_BIG_CARD = 60e9;
const SGLANG_BIG_RESERVE = 10 * GIB;

/** SGLang's own `--mem-fraction-static` from about 0.5.3, without speculative decoding, attention-DP or a vision tower. */
export function sglangDefaultFraction(input: {
  readonly totalBytes: Maybe;
  readonly chunkedPrefillTokens: Maybe;
  readonly tensorParallel: Maybe;
  readonly pipelineParallel: Maybe;
  readonly graphMaxBatch: Maybe;
}): Reckoned {
  return reckon(input, (of) => {
    const ranks = of.tensorParallel * of.pipelineParallel;
    const reserve = (512 + 1.5 * Math.max(of.chunkedPrefillTokens, 2048) + 128 * ranks + 2 * of.graphMaxBatch) * MIB;
    const least = of.totalBytes > SGLANG_BIG_CARD ? SGLANG_BIG_RESERVE : 0;
    return (of.totalBytes - Math.max(reserve, least)) / of.totalBytes;
  });
}

/** TGI_WIGGLE_ROOM of the server where it is not set (server/text_generation_server/models/globals.py). */
export const TGI_WIGGLE_ROOM = 0.9;

/** TGI, after a real prefill: bytes for further blocks, besides those of the warm-up batch. */
export function tgiPool(input: {
  readonly freeBytes: Maybe;
  readonly totalBytes: Maybe;
  readonly fraction: Maybe;
  readonly wiggleRoom?: Maybe;
}): Reckoned {
  const { wiggleRoom = TGI_WIGGLE_ROOM, ...parts } = input;
  return reckon({ ...parts, wiggleRoom }, (of) =>
    Math.max(0, of.freeBytes - (1 - of.fraction * of.wiggleRoom) * of.totalBytes),
  );
}

/** LMDeploy: a share of what is free after the weights. */
export function lmdeployPool(input: {
  readonly freeAfterWeightsBytes: Maybe;
  readonly share: Maybe;
  readonly runtimeBytes?: Maybe;
}): Reckoned {
  const { runtimeBytes = 0, ...parts } = input;
  return reckon({ ...parts, runtimeBytes }, (of) => Math.max(0, of.freeAfterWeightsBytes - of.runtimeBytes) * of.share);
}

/** TensorRT-LLM: a share of what is free after weights and profiling, or `max_tokens`, the smaller. */
export function trtllmPool(input: {
  readonly freeAfterProfileBytes: Maybe;
  readonly share: Maybe;
  readonly maxTokens?: Maybe;
  readonly bytesPerToken?: Maybe;
}): Reckoned {
  const { maxTokens, bytesPerToken, ...parts } = input;
  if (maxTokens === undefined) return reckon(parts, (of) => Math.max(0, of.freeAfterProfileBytes) * of.share);
  return reckon({ ...parts, maxTokens, bytesPerToken }, (of) =>
    Math.min(Math.max(0, of.freeAfterProfileBytes) * of.share, of.maxTokens * of.bytesPerToken),
  );
}

/** llama.cpp and Ollama: all of it is there after the load. Ollama multiplies the context by its parallel slots; llama.cpp divides it among them. */
export function llamaCppBytes(input: {
  readonly weightsOnGpuBytes: Maybe;
  readonly contextTokens: Maybe;
  readonly bytesPerToken: Maybe;
  readonly computeBytes: Maybe;
}): Reckoned {
  return reckon(input, (of) => of.weightsOnGpuBytes + of.contextTokens * of.bytesPerToken + of.computeBytes);
}
