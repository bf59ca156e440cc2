/** Bytes per parameter, lowest and highest: 4-bit formats keep scales, and often embedding and head at 16 bit. */
const FORMATS = {
  float32: [4, 4],
  bfloat16: [2, 2],
  float16: [2, 2],
  fp8: [1, 1.02],
  int8: [1, 1.04],
  awq: [0.53, 0.56],
  gptq: [0.53, 0.56],
  mxfp4: [0.53, 0.53],
  nvfp4: [0.56, 0.56],
  nf4: [0.52, 0.55],
  // Whole files of GGUF, the middle of each family (ggml-org/llama.cpp tools/quantize/README.md, bits per weight).
  'gguf-8-bit': [1.06, 1.07],
  'gguf-6-bit': [0.82, 0.82],
  'gguf-5-bit': [0.69, 0.72],
  'gguf-4-bit': [0.53, 0.61],
  'gguf-3-bit': [0.43, 0.53],
  'gguf-2-bit': [0.33, 0.4],
} as const;

export type WeightFormat = keyof typeof FORMATS;

/** The highest of the bytes per parameter of a format. */
export function bytesPerParameter(format: WeightFormat): number {
  return FORMATS[format][1];
}

// The naming habit of those who publish checkpoints; the first that matches counts.
const NAMES: readonly (readonly [RegExp, WeightFormat])[] = [
  [/nvfp4/, 'nvfp4'],
  [/mxfp4|gpt-oss/, 'mxfp4'],
  [/awq|w4a16/, 'awq'],
  [/gptq|[-_]int4|w4a|4-?bit/, 'gptq'],
  [/bnb|nf4|bitsandbytes/, 'nf4'],
  [/[^a-z]i?q8/, 'gguf-8-bit'],
  [/[^a-z]i?q6/, 'gguf-6-bit'],
  [/[^a-z]i?q5/, 'gguf-5-bit'],
  [/[^a-z]i?q3/, 'gguf-3-bit'],
  [/[^a-z]i?q2/, 'gguf-2-bit'],
  [/[^a-z]b?fp?16/, 'bfloat16'],
  // Where a file does not name its format, it is most often the one that Ollama and llama.cpp take by default.
  [/[^a-z]i?q4|gguf/, 'gguf-4-bit'],
  [/w8a|int8|8-?bit/, 'int8'],
  // DeepSeek publishes V3 and R1 at 8 bit; R1-0528-Qwen3-8B and the distilled ones are models of other families.
  [/fp8|deepseek-(?:v3|r1)(?!.*(?:distill|qwen|llama))/, 'fp8'],
];

/** The weight format by what was told (`--quantization`, `--dtype`) and by the model's name; 16 bit where neither speaks of another. */
export function formatOf(
  model: string,
  told: { quantization?: string | null; dtype?: string | null } = {},
): WeightFormat {
  const words = `${told.quantization ?? ''} ${model}`.toLowerCase();
  const named = NAMES.find(([pattern]) => pattern.test(words))?.[1];
  if (named !== undefined) return named;
  return /^float(?:32)?$/.test(told.dtype ?? '') ? 'float32' : 'bfloat16';
}
