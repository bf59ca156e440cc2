import { describe, expect, it } from 'vitest';
import { readModelConfig } from '../../../src/read/engine/model-config.ts';

const LLAMA = {
  model_type: 'llama',
  num_hidden_layers: 32,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  hidden_size: 4096,
  vocab_size: 128_256,
  max_position_embeddings: 131_072,
};
const read = (config: object) => readModelConfig(JSON.stringify(config));

describe('the config.json of a model', () => {
  it('gives layers, words, heads and length', () => {
    expect(read(LLAMA)).toEqual({
      shape: [{ kind: 'full', layers: 32, kvHeads: 8, headDim: 128 }],
      vocabulary: 128_256,
      attentionHeads: 32,
      hidden: 4096,
      maxLength: 131_072,
      quantization: undefined,
      problems: [],
    });
  });

  it('is read from the part that writes text', () => {
    const { vocab_size, ...text } = LLAMA;

    expect(read({ model_type: 'llava', text_config: { ...text, vocab_size }, vision_config: {} })).toEqual(read(LLAMA));
  });

  it.each([
    ['GPTQ', { quant_method: 'gptq', bits: 4 }, 'gptq'],
    ['GPTQ of 8 bits', { quant_method: 'gptq', bits: 8 }, 'int8'],
    ['AWQ', { quant_method: 'awq', bits: 4 }, 'awq'],
    ['FP8', { quant_method: 'fp8' }, 'fp8'],
    ['bitsandbytes', { quant_method: 'bitsandbytes', load_in_4bit: true }, 'bitsandbytes nf4'],
    ['ModelOpt', { quant_method: 'modelopt', quant_algo: 'NVFP4' }, 'nvfp4'],
    [
      'compressed-tensors',
      { quant_method: 'compressed-tensors', config_groups: { group_0: { weights: { num_bits: 4, type: 'int' } } } },
      'w4a16',
    ],
  ])('names the weight format of %s', (_, quantization_config, expected) => {
    expect(read({ ...LLAMA, quantization_config })).toMatchObject({ quantization: expected, problems: [] });
  });

  it.each([
    ['cut off', JSON.stringify(LLAMA).slice(0, 80), 'config.json is cut off: it has no closing brace'],
    ['no JSON', '{"a": }', 'config.json is not valid JSON'],
    ['a list', '[1]', 'config.json is not a JSON object'],
    ['no layers', JSON.stringify({ model_type: 'llama' }), 'config.json has no num_hidden_layers'],
    [
      'words for a number',
      JSON.stringify({ ...LLAMA, num_key_value_heads: 'eight' }),
      'config.json has unexpected values in num_key_value_heads',
    ],
    [
      'layers of a new type',
      JSON.stringify({ ...LLAMA, layer_types: Array.from({ length: 32 }, () => 'ring_attention') }),
      'config.json has layers of unknown type: ring_attention',
    ],
    [
      'fewer types than layers',
      JSON.stringify({ ...LLAMA, layer_types: ['full_attention'] }),
      'config.json contradicts itself: 32 hidden layers, 1 layer types',
    ],
    [
      'a width that the heads do not divide',
      JSON.stringify({ ...LLAMA, hidden_size: 4097 }),
      'config.json contradicts itself: hidden_size 4097 is no multiple of 32 heads',
    ],
    [
      'a window, not where',
      JSON.stringify({ ...LLAMA, model_type: 'new', sliding_window: 1024 }),
      'config.json of new has a sliding_window but does not tell in which layers',
    ],
  ])('with %s names that and guesses no layers', (_, text, problem) => {
    expect(readModelConfig(text)).toMatchObject({ problems: [problem] });
    expect(readModelConfig(text).shape).toBeUndefined();
  });

  it('with a quantization_config of unknown form names that, and keeps the layers', () => {
    const config = read({ ...LLAMA, quantization_config: { new: true } });

    expect(config.problems).toEqual(['config.json has a quantization_config of unknown form']);
    expect(config.shape).toHaveLength(1);
  });
});
