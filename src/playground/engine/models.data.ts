/** Shape of a model, from its config.json on the Hugging Face Hub. */
export type Model = {
  readonly parametersBillions: number;
  /** Of a mixture, what one token passes. */
  readonly activeBillions?: number;
  readonly architecture: string;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly hidden: number;
  /** Width of the feed-forward part that one token passes: of all active experts in a mixture. */
  readonly intermediate: number;
  readonly vocabulary: number;
  readonly maxLength: number;
  /** By how much the buffers of a real step exceed those of the profile run: experts are hit unevenly. */
  readonly unevenExperts?: number;
  /** Bytes that the vision encoder needs for one image of a request. */
  readonly imageBytes?: number;
};

// Its vision variant has the same decoder.
const QWEN_7B: Model = {
  parametersBillions: 7.62,
  architecture: 'Qwen2ForCausalLM',
  layers: 28,
  heads: 28,
  kvHeads: 4,
  headDim: 128,
  hidden: 3584,
  intermediate: 18_944,
  vocabulary: 152_064,
  maxLength: 32_768,
};

export const MODELS: Readonly<Record<string, Model>> = {
  'meta-llama/Llama-3.1-8B-Instruct': {
    parametersBillions: 8.03,
    architecture: 'LlamaForCausalLM',
    layers: 32,
    heads: 32,
    kvHeads: 8,
    headDim: 128,
    hidden: 4096,
    intermediate: 14_336,
    vocabulary: 128_256,
    maxLength: 131_072,
  },
  'meta-llama/Llama-3.1-70B-Instruct': {
    parametersBillions: 70.55,
    architecture: 'LlamaForCausalLM',
    layers: 80,
    heads: 64,
    kvHeads: 8,
    headDim: 128,
    hidden: 8192,
    intermediate: 28_672,
    vocabulary: 128_256,
    maxLength: 131_072,
  },
  'Qwen/Qwen2.5-7B-Instruct': QWEN_7B,
  'Qwen/Qwen2.5-32B-Instruct': {
    parametersBillions: 32.76,
    architecture: 'Qwen2ForCausalLM',
    layers: 64,
    heads: 40,
    kvHeads: 8,
    headDim: 128,
    hidden: 5120,
    intermediate: 27_648,
    vocabulary: 152_064,
    maxLength: 32_768,
  },
  'Qwen/Qwen3-30B-A3B': {
    parametersBillions: 30.53,
    activeBillions: 3.3,
    architecture: 'Qwen3MoeForCausalLM',
    layers: 48,
    heads: 32,
    kvHeads: 4,
    headDim: 128,
    hidden: 2048,
    intermediate: 6144,
    vocabulary: 151_936,
    maxLength: 40_960,
    unevenExperts: 1.5,
  },
  'Qwen/Qwen2.5-VL-7B-Instruct': {
    ...QWEN_7B,
    parametersBillions: 8.29,
    architecture: 'Qwen2_5_VLForConditionalGeneration',
    maxLength: 128_000,
    imageBytes: 0.9 * 2 ** 30,
  },
};

/** Memory as PyTorch reports it, and the labels that GPU feature discovery gives the node. */
export type Gpu = { readonly totalGib: number; readonly product: string; readonly labelMib: number };

// playbooks/hardware/gpus.yaml.
export const GPUS: Readonly<Record<string, Gpu>> = {
  'A100-80GB': { totalGib: 79.25, product: 'NVIDIA-A100-SXM4-80GB', labelMib: 81_920 },
  'H100-80GB': { totalGib: 79.11, product: 'NVIDIA-H100-80GB-HBM3', labelMib: 81_559 },
  'A100-40GB': { totalGib: 39.5, product: 'NVIDIA-A100-SXM4-40GB', labelMib: 40_960 },
  L40S: { totalGib: 44.39, product: 'NVIDIA-L40S', labelMib: 46_068 },
  A10: { totalGib: 22.06, product: 'NVIDIA-A10', labelMib: 23_028 },
};
