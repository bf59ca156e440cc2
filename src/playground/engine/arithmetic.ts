import type { Model } from './models.data.ts';

export const GIB = 2 ** 30;
export const MIB = 2 ** 20;

/** Tokens of a block of the KV cache. */
export const BLOCK_TOKENS = 16;

/** Weights on one of `ranks` GPUs in 16 bit, or at `bytes` per parameter. */
export function weightBytes({ parametersBillions }: Model, ranks = 1, bytes = 2): number {
  return (parametersBillions * 1e9 * bytes) / ranks;
}

/** KV cache of one token on one of `ranks` GPUs; `bytes` is 2 in 16 bit, 1 in fp8. */
export function kvBytesPerToken({ layers, kvHeads, headDim }: Model, ranks = 1, bytes = 2): number {
  return 2 * layers * Math.max(kvHeads / ranks, 1) * headDim * bytes;
}

/** What a part of a step allocates next to weights, KV cache and the hidden states. */
export type StepTensor = {
  readonly name: 'hidden' | 'attention' | 'context' | 'mlp' | 'logits' | 'image';
  readonly bytes: number;
};

/** The parts of a step, one after the other: each frees what it took before the next begins. */
export type StepTensors = readonly (readonly StepTensor[])[];

export type Step = {
  readonly tokens: number;
  /** Tokens that a sampled or a prompt token is scored for. */
  readonly logitsRows: number;
  /** Tokens before the chunk that a prefill works on: the KV cache of these is gathered for all heads, one layer at a time. */
  readonly context?: number;
  readonly images?: number;
  /** Experts are hit unevenly: the dummy tokens of the profile run hit them evenly. */
  readonly isReal?: boolean;
};

export function stepTensors(model: Model, step: Step, ranks = 1): StepTensors {
  const { heads, kvHeads, headDim, hidden, intermediate, vocabulary } = model;
  const { tokens, context = 0, images = 0, logitsRows } = step;
  const uneven = step.isReal ? 1 + (model.unevenExperts ?? 0) : 1;
  const states: StepTensor = { name: 'hidden', bytes: 4 * hidden * 2 * tokens };
  // Logits are held raw and processed, in 32 bit.
  const logits: StepTensor = { name: 'logits', bytes: logitsRows * vocabulary * 4 };
  const parts: StepTensors = [
    [{ name: 'image', bytes: images * (model.imageBytes ?? 0) }],
    [
      states,
      { name: 'attention', bytes: (((heads + 2 * kvHeads) * headDim * 2) / ranks) * tokens },
      { name: 'context', bytes: ((2 * heads * headDim * 2) / ranks) * context },
    ],
    [
      states,
      { name: 'mlp', bytes: ((2 * intermediate * 2) / ranks) * tokens * uneven },
      { name: 'mlp', bytes: ((intermediate * 2) / ranks) * tokens * uneven },
    ],
    [states, logits, logits],
  ];
  return parts.map((part) => part.filter(({ bytes }) => bytes > 0));
}

/** The most that a step holds at once. */
export function peakOf(parts: StepTensors): number {
  return Math.max(...parts.map((part) => part.reduce((sum, { bytes }) => sum + bytes, 0)));
}

/** Graphs for batches up to `sequences`: the engines capture sizes 1, 2, 4, 8 and then every eighth up to twice the sequences, at most 512. */
export function graphBytes({ layers, hidden }: Model, sequences: number, ranks = 1): number {
  const largest = Math.min(512, 2 * sequences);
  const sizes = Math.ceil(largest / 8) + 3;
  return (sizes * layers * hidden * 72) / ranks + 0.1 * GIB;
}

export type KvPool = {
  readonly availableBytes: number;
  readonly blocks: number;
  readonly tokens: number;
  /** Bytes that one sequence of the maximum length needs. */
  readonly neededBytes: number;
  /** Sequences of the maximum length that fit at once. */
  readonly concurrency: number;
  /** Longest length that fits, in whole blocks. */
  readonly estimatedLength: number;
};

type PoolInput = { readonly availableBytes: number; readonly bytesPerToken: number; readonly maxModelLen: number };

/** How vLLM's V1 engine divides what is left for the KV cache (vllm/v1/core/kv_cache_utils.py). */
export function sizePool({ availableBytes, bytesPerToken, maxModelLen }: PoolInput): KvPool {
  const blockBytes = bytesPerToken * BLOCK_TOKENS;
  const blocks = Math.max(0, Math.floor(availableBytes / blockBytes));
  const ofOne = Math.ceil(maxModelLen / BLOCK_TOKENS);
  return {
    availableBytes,
    blocks,
    tokens: blocks * BLOCK_TOKENS,
    neededBytes: ofOne * blockBytes,
    concurrency: blocks / ofOne,
    estimatedLength: blocks * BLOCK_TOKENS,
  };
}

export function gib(bytes: number, digits = 2): string {
  return (bytes / GIB).toFixed(digits);
}

/** As torch prints an amount: `114.00 MiB`, `1.38 GiB`. */
export function torchAmount(bytes: number): string {
  return bytes >= GIB ? `${gib(bytes)} GiB` : `${(bytes / MIB).toFixed(2)} MiB`;
}
