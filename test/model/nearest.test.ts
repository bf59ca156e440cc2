import { expect, it } from 'vitest';
import { nearest } from '../../src/model/nearest.ts';

it.each([
  ['a letter that is missing', 'quantizaton', ['quantization'], 'quantization'],
  ['two letters that are swapped', 'max-modle-len', ['max-model-len', 'max-num-seqs'], 'max-model-len'],
  ['the nearer of two', 'triag', ['trace', 'triage'], 'triage'],
  ['a short name', 'vlm', ['vllm', 'tgi'], 'vllm'],
  ['another word of the same length', 'nothing', ['pooling', 'parking'], undefined],
  ['another short word', 'tgi', ['gpu'], undefined],
])('%s', (_what, typed, allowed, found) => {
  expect(nearest(typed, allowed)).toBe(found);
});
