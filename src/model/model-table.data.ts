/** Layers that keep the same thing per token or per sequence. Heads and dimensions as in the model's config.json. */
export type LayerGroup =
  | { readonly kind: 'full'; readonly layers: number; readonly kvHeads: number; readonly headDim: number }
  /** One compressed vector per token (multi-head latent attention). */
  | { readonly kind: 'latent'; readonly layers: number; readonly rank: number; readonly ropeDim: number }
  /** Attention over the last `window` tokens only. */
  | {
      readonly kind: 'sliding';
      readonly layers: number;
      readonly kvHeads: number;
      readonly headDim: number;
      readonly window: number;
    }
  /** Mamba and linear attention: a state per sequence, however long it is. */
  | { readonly kind: 'state'; readonly layers: number; readonly bytesPerSequence: number };

export type KvShape = readonly LayerGroup[];

/** A family of models with one shape. `names` are pieces of the name, in lower case, as model makers write them. */
export type ModelFamily = {
  readonly family: string;
  readonly names: readonly string[];
  /** All experts counted, in billions (1e9); as the model card states it. */
  readonly parametersBillions: number;
  readonly shape: KvShape;
  readonly source: string;
};

const full = (layers: number, kvHeads: number, headDim: number): KvShape => [
  { kind: 'full', layers, kvHeads, headDim },
];

// Shapes: config.json of each model (num_hidden_layers, num_key_value_heads, head_dim). `checked` agrees with a pair of
// numbers that an engine printed.
export const MODEL_FAMILIES: readonly ModelFamily[] = [
  {
    family: 'Llama-3.1-8B',
    names: ['llama-3.1-8b', 'llama-3-8b', 'llama3.1-8b', 'llama3-8b'],
    parametersBillions: 8.03,
    shape: full(32, 8, 128),
    source: 'config.json, model card; checked',
  },
  {
    family: 'Mistral-7B',
    names: ['mistral-7b'],
    parametersBillions: 7.25,
    shape: full(32, 8, 128),
    source: 'config.json, model card; checked',
  },
  {
    family: 'Mixtral-8x7B',
    names: ['mixtral-8x7b'],
    parametersBillions: 46.7,
    shape: full(32, 8, 128),
    source: 'config.json, model card; checked',
  },
  {
    family: 'Llama-3-70B',
    names: ['llama-3.3-70b', 'llama-3.1-70b', 'llama-3-70b', 'llama3.3-70b', 'llama3.1-70b', 'llama3-70b'],
    parametersBillions: 70.6,
    shape: full(80, 8, 128),
    source: 'config.json, model card; checked',
  },
  {
    family: 'Llama-3.1-405B',
    names: ['llama-3.1-405b', 'llama3.1-405b'],
    parametersBillions: 406,
    shape: full(126, 8, 128),
    source: 'config.json, model card',
  },
  {
    family: 'Qwen2.5-1.5B',
    names: ['qwen2.5-1.5b', 'qwen2.5-coder-1.5b', 'qwen2.5-math-1.5b'],
    parametersBillions: 1.54,
    shape: full(28, 2, 128),
    source: 'config.json, model card; checked',
  },
  {
    family: 'Qwen2.5-3B',
    names: ['qwen2.5-3b', 'qwen2.5-coder-3b'],
    parametersBillions: 3.09,
    shape: full(36, 2, 128),
    source: 'config.json, model card; checked',
  },
  {
    family: 'Qwen2.5-7B',
    names: ['qwen2.5-7b', 'qwen2.5-coder-7b', 'qwen2.5-math-7b', 'qwen2-7b'],
    parametersBillions: 7.62,
    shape: full(28, 4, 128),
    source: 'config.json, model card',
  },
  {
    family: 'Qwen2.5-14B',
    names: ['qwen2.5-14b', 'qwen2.5-coder-14b'],
    parametersBillions: 14.7,
    shape: full(48, 8, 128),
    source: 'config.json, model card',
  },
  {
    family: 'Qwen2.5-32B',
    names: ['qwen2.5-32b', 'qwen2.5-coder-32b', 'qwq-32b'],
    parametersBillions: 32.5,
    shape: full(64, 8, 128),
    source: 'config.json, model card',
  },
  {
    family: 'Qwen2.5-72B',
    names: ['qwen2.5-72b', 'qwen2-72b'],
    parametersBillions: 72.7,
    shape: full(80, 8, 128),
    source: 'config.json, model card; checked',
  },
  {
    family: 'Qwen3-8B',
    names: ['qwen3-8b'],
    parametersBillions: 8.2,
    shape: full(36, 8, 128),
    source: 'config.json, model card',
  },
  {
    family: 'Qwen3-14B',
    names: ['qwen3-14b'],
    parametersBillions: 14.8,
    shape: full(40, 8, 128),
    source: 'config.json, model card',
  },
  {
    family: 'Qwen3-32B',
    names: ['qwen3-32b'],
    parametersBillions: 32.8,
    shape: full(64, 8, 128),
    source: 'config.json, model card',
  },
  {
    family: 'Qwen3-30B-A3B',
    names: ['qwen3-30b-a3b', 'qwen3-coder-30b-a3b'],
    parametersBillions: 30.5,
    shape: full(48, 4, 128),
    source: 'config.json, model card; checked',
  },
  {
    family: 'Qwen3-235B-A22B',
    names: ['qwen3-235b-a22b'],
    parametersBillions: 235,
    shape: full(94, 4, 128),
    source: 'config.json, model card',
  },
  {
    family: 'Phi-4',
    names: ['phi-4'],
    parametersBillions: 14.7,
    shape: full(40, 10, 128),
    source: 'config.json, model card',
  },
  {
    family: 'Phi-3-mini',
    names: ['phi-3-mini', 'phi-3.5-mini'],
    parametersBillions: 3.82,
    shape: full(32, 32, 96),
    source: 'config.json, model card',
  },
  {
    family: 'gpt-oss-120b',
    names: ['gpt-oss-120b'],
    parametersBillions: 117,
    shape: [
      { kind: 'full', layers: 18, kvHeads: 8, headDim: 64 },
      { kind: 'sliding', layers: 18, kvHeads: 8, headDim: 64, window: 128 },
    ],
    source: 'config.json, model card',
  },
  {
    family: 'Gemma-3-27B',
    names: ['gemma-3-27b'],
    parametersBillions: 27.4,
    shape: [
      { kind: 'full', layers: 10, kvHeads: 16, headDim: 128 },
      { kind: 'sliding', layers: 52, kvHeads: 16, headDim: 128, window: 1024 },
    ],
    source: 'config.json, model card',
  },
  {
    family: 'DeepSeek-V3 / R1',
    names: ['deepseek-v3', 'deepseek-r1'],
    parametersBillions: 671,
    shape: [{ kind: 'latent', layers: 61, rank: 512, ropeDim: 64 }],
    source: 'config.json, model card',
  },
  {
    family: 'DeepSeek-V2-Lite',
    names: ['deepseek-v2-lite', 'deepseek-coder-v2-lite'],
    parametersBillions: 15.7,
    shape: [{ kind: 'latent', layers: 27, rank: 512, ropeDim: 64 }],
    source: 'config.json, model card',
  },
];

/** Words of a vocabulary by pieces of the model's name: columns of its logits. Fine-tunes keep it, or add a few. */
export type Vocabulary = { readonly names: readonly string[]; readonly words: number };

// `vocab_size` in config.json (in its text_config where the model has parts) of each model.
export const VOCABULARIES: readonly Vocabulary[] = [
  {
    names: [
      'llama-3',
      'llama-3.1',
      'llama-3.2',
      'llama-3.3',
      'llama3',
      'llama3.1',
      'llama3.2',
      'llama3.3',
      'deepseek-r1-distill-llama',
    ],
    words: 128_256,
  },
  { names: ['llama-4'], words: 202_048 },
  { names: qwenNames(['0.5b', '1.5b', '3b']), words: 151_936 },
  { names: qwenNames(['7b', '14b', '32b', '72b']), words: 152_064 },
  { names: ['qwq-32b', 'qwen1.5-72b', ...distilled(['7b', '14b', '32b'])], words: 152_064 },
  { names: ['qwen3', 'deepseek-r1-0528-qwen3', ...distilled(['1.5b'])], words: 151_936 },
  { names: ['qwen3.5'], words: 248_320 },
  { names: ['gemma-3-4b', 'gemma-3-12b', 'gemma-3-27b'], words: 262_208 },
  { names: ['deepseek-v3', 'deepseek-v3.1', 'deepseek-v3.2', 'deepseek-r1'], words: 129_280 },
  { names: ['deepseek-v2-lite', 'deepseek-coder-v2-lite'], words: 102_400 },
  { names: ['mixtral-8x7b', 'llama-2'], words: 32_000 },
  { names: ['phi-4'], words: 100_352 },
  { names: ['phi-3-mini', 'phi-3.5-mini'], words: 32_064 },
  { names: ['gpt-oss-20b', 'gpt-oss-120b'], words: 201_088 },
];

function qwenNames(sizes: readonly string[]): string[] {
  const kinds = ['qwen2', 'qwen2.5', 'qwen2.5-coder', 'qwen2.5-math', 'qwen2-vl', 'qwen2.5-vl'];
  return kinds.flatMap((kind) => sizes.map((size) => `${kind}-${size}`));
}

function distilled(sizes: readonly string[]): string[] {
  return sizes.map((size) => `deepseek-r1-distill-qwen-${size}`);
}
