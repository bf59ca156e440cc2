import { describe, expect, it } from 'vitest';
import { architectureOf, quantizationOn } from '../../src/model/quantization-table.ts';
import { tablesInForce } from '../../src/model/reference-tables.ts';

describe('quantization formats', () => {
  it.each([
    [
      'NVIDIA-H100-80GB-HBM3',
      'vllm',
      '0.11.0',
      ['AWQ', 'GPTQ', 'INT8 (W8A8)', 'FP8 (W8A8)', 'bitsandbytes', 'GGUF'],
      [],
    ],
    [
      'NVIDIA-A100-SXM4-80GB',
      'vllm',
      '0.6.1',
      ['AWQ', 'GPTQ', 'bitsandbytes'],
      ['INT8 (W8A8) 0.6.4', 'FP8 weight-only (Marlin) 0.6.4', 'GGUF 0.6.4'],
    ],
    ['Tesla-T4', 'tensorrt-llm', '1.0.0', [], []],
    ['NVIDIA L4', 'tensorrt-llm', '1.0.0', ['FP8', 'W4A16 AWQ', 'W4A8 AWQ', 'W4A16 GPTQ', 'W4A8 GPTQ'], []],
    ['NVIDIA B200', 'sglang', undefined, ['FP8', 'AWQ', 'GPTQ', 'ModelOpt FP8', 'ModelOpt FP4 (NVFP4)'], []],
  ])('on %s with %s %s', (product, engine, version, formats, later) => {
    const found = quantizationOn(product, engine, version);

    expect(found?.formats).toEqual(formats);
    expect(found?.later.map(({ format, from }) => `${format} ${from}`)).toEqual(later);
  });

  it('are unknown for an engine or a GPU that no documentation names', () => {
    expect(quantizationOn('NVIDIA-H100-80GB-HBM3', 'lmdeploy', '0.9.2')).toBeUndefined();
    expect(quantizationOn('Tesla P4', 'vllm', '0.11.0')).toBeUndefined();
  });

  it('name one architecture for every GPU of the table but those that are older or of another maker', () => {
    const { gpus, architectures } = tablesInForce();
    const others = /Tesla P|MI210|V620|Ascend|Gaudi/;

    for (const { model } of gpus) {
      const matching = architectures
        .filter(({ gpus: pattern }) => pattern.test(model))
        .map(({ architecture }) => architecture);
      expect([model, matching.length]).toEqual([model, others.test(model) ? 0 : 1]);
      expect(architectureOf(model)).toBe(matching[0]);
    }
  });
});
