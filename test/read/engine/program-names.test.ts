import { describe, expect, it } from 'vitest';
import { isEngineName, runsByName } from '../../../src/read/engine/program-names.ts';

describe('what runs under a name', () => {
  it.each([
    ['vllm-0', 'engine'],
    ['qwen-vllm-7d9f8b6c5-x2k4p', 'engine'],
    ['text-generation-inference', 'engine'],
    ['llm', 'engine'],
    ['localai-5', 'engine'],
    ['vllm-router', 'other'],
    ['vllm-router-7d9f8b6c5-x2k4p', 'other'],
    ['dcgm-exporter-x2k4p', 'other'],
    ['fluent-bit', 'other'],
    ['kube-proxy', 'other'],
    ['storage-initializer', 'other'],
    ['kubeai-llama', 'unknown'],
    ['redis-for-llm', 'unknown'],
    ['qwen-0', 'unknown'],
    ['router-model', 'unknown'],
    ['swollmen', 'unknown'],
  ])('%s: %s', (name, runs) => {
    expect(runsByName(name)).toBe(runs);
  });

  it.each([
    ['main', true],
    ['kserve-container', true],
    ['triton-ctr', true],
    ['sglang', true],
    ['fluent-ctr', false],
    ['server-proxy', false],
    ['qwen', false],
  ])('as that of a container: %s, %s', (name, isEngine) => {
    expect(isEngineName(name)).toBe(isEngine);
  });
});
