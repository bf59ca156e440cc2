import { describe, expect, it } from 'vitest';
import { vocabularyOf } from '../../src/model/model-table.ts';
import { tablesInForce } from '../../src/model/reference-tables.ts';

describe('the vocabulary by the name of a model', () => {
  it.each([
    ['meta-llama/Llama-3.1-8B-Instruct', 128_256],
    ['/models/Llama_3_70B', 128_256],
    ['Qwen/Qwen2.5-7B-Instruct-AWQ', 152_064],
    ['Qwen/Qwen3-Coder-30B-A3B-Instruct', 151_936],
    ['deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B', 151_936],
    ['deepseek-ai/DeepSeek-R1-0528-Qwen3-8B', 151_936],
    ['acme/DeepSeek-R1-Distill-Mistral-7B', undefined],
    ['acme/Llama-3-Qwen3-merge', undefined],
    ['Qwen/Qwen3-Embedding-8B', undefined],
    ['mistralai/Mistral-7B-Instruct', undefined],
    ['microsoft/Phi-4-mini-instruct', undefined],
    ['acme/llama-30b', undefined],
  ])('%s: %s', (name, words) => {
    expect(vocabularyOf(name)).toBe(words);
  });

  it('is told by every piece that stands in the table, as the name of a model on its own', () => {
    for (const { names, words } of tablesInForce().vocabularies) {
      expect(names.map((name) => [name, vocabularyOf(name)])).toEqual(names.map((name) => [name, words]));
    }
  });

  it('is one for all names of a family', () => {
    for (const { family, names } of tablesInForce().families) {
      expect(new Set(names.map(vocabularyOf)).size, family).toBe(1);
    }
  });
});
