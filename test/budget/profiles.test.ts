import { describe, expect, it } from 'vitest';
import { bandOf, defaultIn, PROFILE_NAMES, profileOf } from '../../src/budget/profiles.ts';
import { GIB } from '../../src/model/quantity.ts';
import { parseProfiles } from '../../src/wire/profiles.ts';
import { BOOK } from '../playbooks/book.ts';

describe('the shipped profiles', () => {
  it.each(['vllm', 'sglang', 'tgi', 'lmdeploy', 'llama.cpp', 'ollama', 'tensorrt-llm', 'trt-llm'])(
    '%s has all three',
    (engine) => {
      expect(PROFILE_NAMES.map((name) => profileOf(BOOK, engine, name)?.profile)).toEqual([...PROFILE_NAMES]);
    },
  );

  it.each([
    [14.6, 4096],
    [22.06, 4096],
    [39.4, 8192],
    [44.4, 8192],
    [79.15, 16_384],
    [undefined, undefined],
  ])('a conservative pass on a card of %d GiB', (gib, tokens) => {
    const bands = profileOf(BOOK, 'vllm', 'conservative')?.set.find((one) => one.flag === '--max-num-batched-tokens');

    expect(bandOf(bands?.['by-card'] ?? [], gib)).toBe(tokens);
  });

  it.each([
    ['--gpu-memory-utilization', '0.20.2', 24, undefined, { low: 0.9, high: 0.9 }],
    ['--gpu-memory-utilization', '0.21.0', 24, undefined, { low: 0.92, high: 0.92 }],
    ['--gpu-memory-utilization', undefined, 24, undefined, { low: 0.9, high: 0.92 }],
    ['--max-num-batched-tokens', '0.11.0', 69.9, 'NVIDIA-L40S', { low: 2048, high: 2048 }],
    ['--max-num-batched-tokens', '0.11.0', 79.2, 'NVIDIA-H100-80GB-HBM3', { low: 8192, high: 8192 }],
    ['--max-num-batched-tokens', '0.11.0', 79.2, 'NVIDIA-A100-SXM4-80GB', { low: 2048, high: 2048 }],
    ['--max-num-batched-tokens', '0.11.0', 79.2, undefined, { low: 2048, high: 8192 }],
    ['--max-num-batched-tokens', '0.27.1', 178, undefined, { low: 8192, high: 8192 }],
    ['--max-num-batched-tokens', '0.28.0', 178, undefined, { low: 16_384, high: 16_384 }],
    ['--max-num-seqs', '0.11.0', 140, undefined, { low: 1024, high: 1024 }],
    // Excepted are cards with A100 in their name, and no other.
    ['--max-num-seqs', '0.11.0', 79.2, 'NVIDIA-A800-SXM4-80GB', { low: 1024, high: 1024 }],
    // Which engine runs is not known, and V0 takes 256 on any card.
    ['--max-num-seqs', '0.9.2', 79.2, 'NVIDIA-H100-80GB-HBM3', { low: 256, high: 1024 }],
    ['--max-num-batched-tokens', '0.7.3', 24, undefined, { low: 2048, high: 2048 }],
    ['--kv-cache-dtype', '0.11.0', 24, undefined, undefined],
    ['--max-model-len', '0.11.0', 24, undefined, undefined],
  ])('vllm takes for %s in %s on %d GiB %s', (flag, version, gib, product, expected) => {
    const card = { totalBytes: gib * GIB, product };

    expect(defaultIn({ engine: 'vllm', version, flag, card })).toEqual(expected);
  });
});

it.each([
  ['lmdeploy', '--max-batch-size', '0.16.0', 'NVIDIA-L40S', { low: 128, high: 128 }],
  ['lmdeploy', '--max-batch-size', '0.16.0', 'NVIDIA-H100-80GB-HBM3', { low: 1024, high: 1024 }],
  ['lmdeploy', '--max-batch-size', '0.16.0', undefined, { low: 128, high: 1024 }],
  ['lmdeploy', '--max-batch-size', '0.9.2', 'NVIDIA-H100-80GB-HBM3', { low: 128, high: 128 }],
  ['trt-llm', '--max_num_tokens', undefined, undefined, { low: 8192, high: 8192 }],
  ['tgi', '--cuda-memory-fraction', '3.3.7', undefined, { low: 1, high: 1 }],
  ['tgi', '--max-total-tokens', '3.3.7', undefined, undefined],
])('what another engine takes: %s for %s in %s on %s', (engine, flag, version, product, expected) => {
  expect(defaultIn({ engine, version, flag, card: { totalBytes: 79.2 * GIB, product } })).toEqual(expected);
});

describe('a book that is wrong', () => {
  const HEAD = 'schema: 1\nfractions: []\nprofiles:\n  - engine: vllm\n    profile: emergency\n    says: x\n    set:\n';

  it.each([
    ['a flag that no version has', '      - { flag: --max-num-on-the-fly-batches, to: 4, why: x }\n', 8, /no flag/],
    ['a flag of another engine', '      - { flag: --mem-fraction-static, to: 0.8, why: x }\n', 8, /no flag/],
    ['two values', '      - { flag: --max-num-seqs, to: 4, lower-by: 0.1, why: x }\n', 8, /needs exactly one/],
    ['no value', '      - { flag: --max-num-seqs, why: x }\n', 8, /needs exactly one/],
    ['no reason', '      - { flag: --max-num-seqs, to: 4 }\n', 8, /why/],
    [
      'bands without an end',
      '      - { flag: --max-num-seqs, by-card: [{ below-gib: 3, to: 4 }], why: x }\n',
      8,
      /last band/,
    ],
    ['a step of none', '      - { flag: --gpu-memory-utilization, lower-by: step, why: x }\n', 8, /no step for vllm/],
    ['a misspelt key', '      - { flag: --max-num-seqs, too: 4, why: x }\n', 8, /too/],
  ])('%s is told with its line', (_, line, at, says) => {
    const outcome = parseProfiles([{ path: 'own/profiles.yaml', text: HEAD + line }]);

    expect(outcome.kind).toBe('refused');
    const problems = outcome.kind === 'refused' ? outcome.problems : [];
    expect(problems[0]).toMatchObject({ file: 'own/profiles.yaml', line: at });
    expect(problems.map((problem) => problem.message).join('\n')).toMatch(says);
  });

  it('a profile that stands twice is told', () => {
    const set = '      - { flag: --max-num-seqs, to: 4, why: x }\n';
    const text = HEAD + set;
    const outcome = parseProfiles([
      { path: 'p.yaml', text },
      { path: 'q.yaml', text },
    ]);

    expect(outcome).toMatchObject({ kind: 'refused', problems: [{ file: 'q.yaml', line: 4 }] });
  });
});
