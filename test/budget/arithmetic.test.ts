import { describe, expect, it } from 'vitest';
import { blocksIn } from '../../src/budget/blocks.ts';
import {
  kaitoAsksForLength,
  kaitoHostCache,
  kaitoLengthRule,
  kaitoNodeEstimate,
  kaitoOwnUtilization,
  kaitoSearch,
  kaitoUtilization,
  kaitoVllm,
} from '../../src/budget/kaito.ts';
import { bytesOfKvDtype, kvBytesOfSequence, kvBytesPerToken } from '../../src/budget/kv-bytes.ts';
import { logitsBytes } from '../../src/budget/logits.ts';
import {
  equivalentUtilization,
  graphsInsideFraction,
  llamaCppBytes,
  lmdeployPool,
  sglangDefaultFraction,
  sglangPool,
  tgiPool,
  trtllmPool,
  vllmConsumedPool,
  vllmDevicePool,
  vllmSizing,
} from '../../src/budget/pools.ts';
import { amountOf, GIB, MIB, type Reckoned } from '../../src/budget/reckoned.ts';
import { MODEL_FAMILIES } from '../../src/model/model-table.data.ts';
import { modelFamily } from '../../src/model/model-table.ts';
import { formatOf } from '../../src/model/weight-format.ts';

const gib = (value: Reckoned) => Number(((amountOf(value) ?? Number.NaN) / GIB).toFixed(2));

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
    const shape = MODEL_FAMILIES.find((one) => one.family === family)?.shape ?? [];

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

  it('of sliding layers ends at the window where the hybrid manager is on', () => {
    const { shape = [] } = modelFamily('google/gemma-3-27b-it') ?? {};
    const input = { tokens: 32_768, stepTokens: 0 };
    const all = kvBytesOfSequence(shape, { ...input, hybrid: false });
    const hybrid = kvBytesOfSequence(shape, { ...input, hybrid: true });

    expect(all / GIB).toBe(15.5);
    expect(hybrid / GIB).toBeCloseTo(2.5 + 0.41, 2);
    expect(kvBytesOfSequence(shape, { ...input, tokens: 512, hybrid: true })).toBe(512 * 507_904);
  });

  it('of a state does not grow with the sequence', () => {
    const shape = [{ kind: 'state', layers: 10, bytesPerSequence: MIB } as const];

    expect(kvBytesPerToken(shape)).toBe(0);
    expect(kvBytesOfSequence(shape, { tokens: 1, hybrid: true })).toBe(10 * MIB);
    expect(kvBytesOfSequence(shape, { tokens: 100_000, hybrid: true })).toBe(10 * MIB);
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

describe('logits', () => {
  it.each([
    [1024, 151_936, 0.58],
    [1024, 262_144, 1],
    [256, 128_256, 0.12],
    [8192, 151_936, 4.64],
    [32_768, 151_936, 18.55],
  ])('%d rows of %d words', (rows, vocabulary, expected) => {
    expect(gib(logitsBytes({ rows, vocabulary }))).toBe(expected);
  });
});

describe('the weight format of a name', () => {
  it.each([
    ['meta-llama/Llama-3.1-8B-Instruct', {}, 'bfloat16'],
    ['Qwen/Qwen2.5-72B-Instruct-AWQ', {}, 'awq'],
    ['Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4', {}, 'gptq'],
    ['RedHatAI/Llama-3.3-70B-Instruct-quantized.w8a8', {}, 'int8'],
    ['acme/own', { quantization: 'fp8' }, 'fp8'],
    ['openai/gpt-oss-120b', {}, 'mxfp4'],
    ['deepseek-ai/DeepSeek-V3', {}, 'fp8'],
    ['acme/own', { dtype: 'float32' }, 'float32'],
  ] as const)('%s %o', (model, told, format) => {
    expect(formatOf(model, told)).toBe(format);
  });
});

describe('how vLLM sizes its pool', () => {
  it.each([
    ['0.6.4.post1', 'v0-device'],
    ['0.6.5', 'split'],
    ['0.22.1', 'split'],
    ['0.23.0', 'consumed'],
  ])('%s: %s', (version, sizing) => {
    expect(vllmSizing(version)).toBe(sizing);
  });

  it.each([
    ['0.20.2', false],
    ['0.21.0', true],
    ['0.25.0', undefined],
    ['0.29.0', true],
  ])('graphs inside the fraction in %s: %s', (version, inside) => {
    expect(graphsInsideFraction(version)).toBe(inside);
  });

  it('charges a neighbour that grows while it starts', () => {
    const alone = {
      totalBytes: 79 * GIB,
      utilization: 0.9,
      freeAtStartBytes: 78 * GIB,
      freeAfterProfileBytes: 60 * GIB,
      torchPeakBytes: 20 * GIB,
      torchAllocatedBytes: 16 * GIB,
      graphEstimateBytes: GIB,
    };

    expect(gib(vllmConsumedPool(alone))).toBe(48.1);
    expect(gib(vllmConsumedPool({ ...alone, freeAfterProfileBytes: 10 * GIB }))).toBe(-1.9);
    expect(vllmConsumedPool({ ...alone, torchPeakBytes: undefined })).toEqual({
      kind: 'unknown',
      missing: ['torchPeakBytes'],
    });
  });

  it('charged the whole device before 0.6.5', () => {
    const input = { totalBytes: 16 * GIB, utilization: 0.9, freeAtStartBytes: 15 * GIB, freeAtPeakBytes: 5 * GIB };

    expect(gib(vllmDevicePool(input))).toBe(4.4);
  });

  it('names the fraction that gives the same without the graph estimate', () => {
    const total = 23.68 * GIB;

    expect(amountOf(equivalentUtilization(0.82, 0.36 * GIB, total))?.toFixed(4)).toBe('0.8048');
  });

  it('holds no block in a pool below zero', () => {
    expect(blocksIn({ poolBytes: -GIB, bytesPerToken: 131_072 })).toMatchObject({ blocks: 0, tokens: 0 });
    expect(blocksIn({ poolBytes: GIB, bytesPerToken: 0 }).kind).toBe('unknown');
  });
});

describe('how other engines size theirs', () => {
  it('SGLang: free now less what lies outside the fraction', () => {
    expect(gib(sglangPool({ freeNowBytes: 62 * GIB, totalBeforeLoadBytes: 79 * GIB, fraction: 0.88 }))).toBe(52.52);
  });

  it('SGLang keeps at least 10 GiB on a large card', () => {
    const input = { chunkedPrefillTokens: 8192, tensorParallel: 1, pipelineParallel: 1, graphMaxBatch: 256 };

    expect(amountOf(sglangDefaultFraction({ ...input, chunkedPrefillTokens: 2048, totalBytes: 80 * GIB }))).toBe(0.875);
    // 512 + 12,288 + 128 + 512 MiB of 24 GiB.
    expect(amountOf(sglangDefaultFraction({ ...input, totalBytes: 24 * GIB }))?.toFixed(4)).toBe('0.4531');
  });

  it('TGI: never below zero', () => {
    expect(gib(tgiPool({ freeBytes: 20 * GIB, totalBytes: 80 * GIB, fraction: 1 }))).toBe(12);
    expect(gib(tgiPool({ freeBytes: 2 * GIB, totalBytes: 80 * GIB, fraction: 1 }))).toBe(0);
  });

  it('LMDeploy and TensorRT-LLM: shares of what is free', () => {
    expect(gib(lmdeployPool({ freeAfterWeightsBytes: 10 * GIB, share: 0.8 }))).toBe(8);
    expect(gib(trtllmPool({ freeAfterProfileBytes: 10 * GIB, share: 0.9 }))).toBe(9);
    expect(
      gib(trtllmPool({ freeAfterProfileBytes: 10 * GIB, share: 0.9, maxTokens: 8192, bytesPerToken: 131_072 })),
    ).toBe(1);
  });

  it('llama.cpp: all of it at load', () => {
    const input = { weightsOnGpuBytes: 5 * GIB, contextTokens: 8192, bytesPerToken: 131_072, computeBytes: GIB / 2 };

    expect(gib(llamaCppBytes(input))).toBe(6.5);
  });
});

describe('KAITO', () => {
  it.each([
    ['0.4.4', 24, 0.95],
    ['0.4.5', 16, 0.9],
    ['0.6.2', 24, 0.93],
    ['0.6.2', 40, 0.95],
    ['0.6.2', undefined, 0.9],
    ['0.7.0', 24, 0.84],
    ['0.12.0', 24, 0.84],
  ])('%s on %d GiB takes %d', (version, size, fraction) => {
    const card = size === undefined ? {} : { totalBytes: size * GIB };

    expect(kaitoUtilization(version, card)).toBe(fraction);
  });

  it('takes less on an A10 from 0.12, and not on an A100 or A10G', () => {
    expect(kaitoUtilization('0.12.0', { product: 'NVIDIA-A10' })).toBe(0.82);
    expect(kaitoUtilization('0.12.0', { product: 'NVIDIA-A10G' })).toBe(0.84);
    expect(kaitoUtilization('0.12.0', { product: 'NVIDIA-A100-SXM4-80GB' })).toBe(0.84);
    expect(kaitoUtilization('0.11.0', { product: 'NVIDIA-A10' })).toBe(0.84);
  });

  it('takes its own value by what is free, else 0.84', () => {
    expect(amountOf(kaitoOwnUtilization(14 * GIB, 16 * GIB))).toBe(0.83);
    expect(amountOf(kaitoOwnUtilization(undefined, 16 * GIB))).toBe(0.84);
    expect(amountOf(kaitoOwnUtilization(80 * GIB, 80 * GIB))).toBe(0.95);
  });

  it.each([
    ['0.4.4', 'search', '0.6.3'],
    ['0.7.2', 'search', '0.10.1.1'],
    ['0.8.0', 'calculator', '0.12.0'],
    ['0.10.0', 'calculator', '0.17.1'],
    ['0.11.0', 'auto', '0.22.1'],
    ['0.12.1', 'auto', '0.25.1'],
    ['0.13.0', 'auto', undefined],
  ])('%s finds the length by %s with vLLM %s', (version, rule, vllm) => {
    expect([kaitoLengthRule(version), kaitoVllm(version)]).toEqual([rule, vllm]);
  });

  it('searches six steps, so it stops short of the longest', () => {
    const asked: number[] = [];
    const found = kaitoSearch(32_768, (length) => {
      asked.push(length);
      return length <= 20_000;
    });

    expect(asked).toHaveLength(6);
    expect(found).toBeLessThanOrEqual(20_000);
    expect(found).toBeGreaterThan(20_000 - 2048);
  });

  it('wants of a node 1.02 and 0.05 of the weights, 2.3 GiB and the context', () => {
    expect(gib(kaitoNodeEstimate({ weightsBytes: 10 * GIB, kvBytes: GIB }))).toBe(14);
  });

  it('may take half of the free host memory from 0.7.0', () => {
    const node = { nodeTotalBytes: 200 * GIB, nodeUsedBytes: 40 * GIB };

    expect(gib(kaitoHostCache({ version: '0.7.0', ...node }))).toBe(80);
    expect(gib(kaitoHostCache({ version: '0.6.2', ...node }))).toBe(0);
    expect(kaitoHostCache({ version: '0.7.0', nodeTotalBytes: undefined, nodeUsedBytes: 0 }).kind).toBe('unknown');
  });

  it.each([
    [{ gpus: 2, perGpuNominalGb: 16, distributed: false }, true],
    [{ gpus: 2, perGpuNominalGb: 20, distributed: false }, false],
    [{ gpus: 1, perGpuNominalGb: 16, distributed: false }, false],
    [{ gpus: 1, perGpuNominalGb: 80, distributed: true }, true],
  ])('asks for a length: %o', (input, asks) => {
    expect(kaitoAsksForLength(input)).toBe(asks);
  });
});
