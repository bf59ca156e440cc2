import { describe, expect, it } from 'vitest';
import { graphsInsideFraction } from '../../src/budget/fraction-room.ts';
import { bytesOfKvDtype } from '../../src/budget/kv-bytes.ts';
import { kvBytesPerToken } from '../../src/budget/kv-memory.ts';
import { modelFamily } from '../../src/model/model-table.ts';
import { GIB } from '../../src/model/quantity.ts';
import { tablesInForce } from '../../src/model/reference-tables.ts';
import { formatOf } from '../../src/model/weight-format.ts';

describe('KV bytes per token at 16 bit', () => {
  it.each([
    ['Llama-3.1-8B', 131_072, 4],
    ['Mistral-7B', 131_072, 4],
    ['Mixtral-8x7B', 131_072, 4],
    ['Llama-3-70B', 327_680, 10],
    ['Qwen2.5-72B', 327_680, 10],
    ['Llama-3.1-405B', 516_096, 15.75],
    ['Qwen2.5-1.5B', 28_672, 0.88],
    ['Qwen2.5-3B', 36_864, 1.13],
    ['Qwen2.5-7B', 57_344, 1.75],
    ['Qwen2.5-14B', 196_608, 6],
    ['Qwen2.5-32B', 262_144, 8],
    ['Qwen3-32B', 262_144, 8],
    ['Qwen3-8B', 147_456, 4.5],
    ['Qwen3-14B', 163_840, 5],
    ['Qwen3-30B-A3B', 98_304, 3],
    ['Qwen3-235B-A22B', 192_512, 5.88],
    ['Phi-4', 204_800, 6.25],
    ['Phi-3-mini', 393_216, 12],
    ['gpt-oss-120b', 73_728, 2.25],
    ['Gemma-3-27B', 507_904, 15.5],
    ['DeepSeek-V3 / R1', 70_272, 2.14],
    ['DeepSeek-V2-Lite', 31_104, 0.95],
  ])('%s: %d bytes, %d GiB for one sequence of 32k', (family, bytes, sequence) => {
    const shape = tablesInForce().families.find((one) => one.family === family)?.shape ?? [];

    expect(kvBytesPerToken(shape)).toBe(bytes);
    expect(((bytes * 32_768) / GIB).toFixed(2)).toBe(sequence.toFixed(2));
  });

  it('is divided by the ranks as far as there are KV heads, and by the stages of a pipeline', () => {
    const { shape = [] } = modelFamily('Qwen2.5-7B') ?? {};

    expect(kvBytesPerToken(shape, { tensorParallel: 4 })).toBe(14_336);
    expect(kvBytesPerToken(shape, { tensorParallel: 8 })).toBe(14_336);
    expect(kvBytesPerToken(shape, { pipelineParallel: 2 })).toBe(28_672);
    expect(kvBytesPerToken(shape, { bytesPerValue: 1 })).toBe(28_672);
  });

  it('is the whole vector on every rank with latent attention', () => {
    const { shape = [] } = modelFamily('deepseek-ai/DeepSeek-V3') ?? {};

    expect(kvBytesPerToken(shape, { tensorParallel: 8 })).toBe(70_272);
  });

  it.each([
    [undefined, 2],
    ['auto', 2],
    ['fp8_e4m3', 1],
    ['q8_0', 1],
    ['nvfp4', 0.56],
    ['turboquant_4', undefined],
  ])('data type %s', (dtype, bytes) => {
    expect(bytesOfKvDtype(dtype)).toBe(bytes);
  });
});

it.each([
  ['meta-llama/Llama-3.1-8B-Instruct', {}, 'bfloat16'],
  ['Qwen/Qwen2.5-72B-Instruct-AWQ', {}, 'awq'],
  ['Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4', {}, 'gptq'],
  ['RedHatAI/Llama-3.3-70B-Instruct-quantized.w8a8', {}, 'int8'],
  ['acme/own', { quantization: 'fp8' }, 'fp8'],
  ['openai/gpt-oss-120b', {}, 'mxfp4'],
  ['deepseek-ai/DeepSeek-V3', {}, 'fp8'],
  ['deepseek-ai/DeepSeek-R1-0528', {}, 'fp8'],
  ['deepseek-ai/DeepSeek-R1-Distill-Llama-8B', {}, 'bfloat16'],
  ['deepseek-ai/DeepSeek-R1-0528-Qwen3-8B', {}, 'bfloat16'],
  ['acme/own', { dtype: 'float32' }, 'float32'],
  ['mlx-community/Qwen2.5-32B-Instruct-4bit', {}, 'gptq'],
  ['unsloth/Qwen2.5-32B-Instruct-GGUF:Q4_K_M', {}, 'gguf-4-bit'],
  ['/models/llama-3.3-70b-instruct-iq2_xxs.gguf', {}, 'gguf-2-bit'],
  ['/models/qwen2.5-7b-instruct-q8_0.gguf', {}, 'gguf-8-bit'],
  ['/models/qwen2.5-7b-instruct-fp16.gguf', {}, 'bfloat16'],
  ['bartowski/Llama-3.3-70B-Instruct-GGUF', {}, 'gguf-4-bit'],
] as const)('the weight format of a name: %s %o', (model, told, format) => {
  expect(formatOf(model, told)).toBe(format);
});

it.each([
  ['0.20.2', false],
  ['0.21.0', true],
  ['0.25.0', undefined],
  ['0.29.0', true],
])('the graph pool of vLLM graphs inside the fraction in %s: %s', (version, inside) => {
  expect(graphsInsideFraction('vllm', version)).toBe(inside);
});
