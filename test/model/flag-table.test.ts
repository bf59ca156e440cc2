import { describe, expect, it } from 'vitest';
import { flagOf, isWithin, readVersion } from '../../src/model/flag-table.ts';
import { modelFamily } from '../../src/model/model-table.ts';

describe('a flag of a version', () => {
  it.each([
    ['vllm', '0.17.2', '--swap-space', 'exists'],
    ['vllm', '0.18.0', '--swap-space', 'absent'],
    ['vllm', '0.9.2', '--max-num-on-the-fly-batches', 'absent'],
    ['vllm', undefined, '--max-model-len', 'exists'],
    ['vllm', undefined, '--max_model_len', 'exists'],
    ['vllm', undefined, '--swap-space', 'unknown'],
    ['vllm', 'latest', '--swap-space', 'unknown'],
    ['vllm', '0.1.dev1+gabc', '--swap-space', 'unknown'],
    ['vllm', '25.03', '--swap-space', 'unknown'],
    ['vllm', '0.9.2', '--no-such-flag', 'unknown'],
    ['vllm', '0.9.2', '-tp', 'exists'],
    ['sglang', '0.5.19', '--cuda-graph-max-bs', 'exists'],
    ['sglang', '0.5.23', '--cuda-graph-max-bs', 'absent'],
    ['sglang', '0.5.23', '--cuda-graph-max-bs-decode', 'exists'],
    ['sglang', '0.5.23', '--cuda-graph-backend-prefill', 'exists'],
    ['llama.cpp', 'b9000', '--no-mmap', 'exists'],
    ['llama.cpp', 'b9000', '--load-mode', 'absent'],
    ['llama.cpp', 'b11434', '--no-mmap', 'absent'],
    ['llama.cpp', '11434', '--mlock', 'absent'],
    ['llama.cpp', 'b11434-3f1c2ab0e', '--load-mode', 'exists'],
    ['llama.cpp', undefined, '--no-mmap', 'unknown'],
    ['vllm', '11434', '--swap-space', 'unknown'],
    ['sglang', '0.4.1', '--cuda-graph-bs', 'absent'],
    ['sglang', '0.4.1.post5', '--cuda-graph-bs', 'exists'],
    ['ollama', undefined, 'OLLAMA_NUM_PARALLEL', 'unknown'],
    ['ollama', '0.1.33', 'OLLAMA_NUM_PARALLEL', 'exists'],
    ['ollama', '0.1.32', 'OLLAMA_NUM_PARALLEL', 'absent'],
    ['vllm', undefined, 'PYTORCH_CUDA_ALLOC_CONF', 'exists'],
  ])('%s %s %s: %s', (engine, version, flag, kind) => {
    expect(flagOf(engine, version, flag).kind).toBe(kind);
  });

  it('names what took its place, where that is there', () => {
    expect(flagOf('vllm', '0.13.0', '--cuda-graph-sizes')).toMatchObject({ instead: '--cudagraph-capture-sizes' });
    expect(flagOf('vllm', '0.15.0', 'VLLM_ATTENTION_BACKEND')).toMatchObject({ instead: '--attention-backend' });
    expect(flagOf('vllm', '0.8.5', '--cuda-graph-sizes')).not.toHaveProperty('instead');
  });

  it('reads versions as engines print them', () => {
    expect(readVersion('vllm', 'v0.10.1.1')).toBe('0.10.1');
    expect(readVersion('vllm', '0.11.0rc2.dev12+g1')).toBe('0.11.0rc2');
    expect(isWithin('0.8.5.post1', { since: '0.8.5', until: '0.8' })).toBe(true);
  });
});

it.each([
  ['meta-llama/Meta-Llama-3.1-8B-Instruct', 'Llama-3.1-8B'],
  ['/models/qwen2.5-72b-instruct-awq', 'Qwen2.5-72B'],
  ['Qwen/Qwen3-Coder-30B-A3B-Instruct-FP8', 'Qwen3-30B-A3B'],
  ['deepseek-ai/DeepSeek-R1-0528', 'DeepSeek-V3 / R1'],
  ['deepseek-ai/DeepSeek-R1-Distill-Qwen-7B', undefined],
  ['Qwen/Qwen2.5-VL-7B-Instruct', 'Qwen2.5-VL-7B'],
  ['Qwen/Qwen2.5-VL-32B-Instruct', undefined],
  ['deepseek-ai/DeepSeek-V3.2', 'DeepSeek-V3.2'],
  ['mistralai/Mistral-7B-Instruct-v0.1', 'Mistral-7B-v0.1'],
  ['microsoft/Phi-4-mini-instruct', undefined],
  ['acme/qwen3-8bit', undefined],
  ['acme/own', undefined],
])('the family of a model: %s', (name, family) => {
  expect(modelFamily(name)?.family).toBe(family);
});
