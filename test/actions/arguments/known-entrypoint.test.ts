import { expect, it } from 'vitest';
import { knownEntrypoint } from '../../../src/actions/arguments/known-entrypoint.ts';

it.each([
  ['vllm/vllm-openai:v0.11.0', 'vllm', 'engine'],
  ['registry.example/mirror/vllm/vllm-openai@sha256:0a', 'vllm', 'engine'],
  ['vllm/vllm-openai', 'vllm', 'engine'],
  ['ghcr.example/huggingface/text-generation-inference:3.3.7', 'tgi', 'engine'],
  ['ghcr.example/ggml-org/llama.cpp:server-cuda', 'llama.cpp', 'engine'],
  // Another engine, another target, somebody's own image.
  ['vllm/vllm-openai:v0.11.0', 'sglang', 'unknown'],
  ['ghcr.example/ggml-org/llama.cpp:full-cuda', 'llama.cpp', 'unknown'],
  ['acme/vllm-openai:1', 'vllm', 'unknown'],
  ['acme/vllm/vllm-openai-patched:1', 'vllm', 'unknown'],
  [undefined, 'vllm', 'unknown'],
])('the entrypoint of an image: %s for %s: %s', (image, engine, known) => {
  expect(knownEntrypoint(image, engine)).toBe(known);
});
