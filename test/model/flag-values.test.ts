import { describe, expect, it } from 'vitest';
import { entryOf } from '../../src/model/flag-table.ts';
import { rangeOfFlag, whyNotTaken } from '../../src/model/flag-values.ts';
import { tablesInForce } from '../../src/model/reference-tables.ts';

describe('what a flag can take at all', () => {
  it.each<[string | undefined, string, readonly string[], readonly string[]]>([
    ['vllm', '--max-num-seqs', ['1', '256'], ['-4', '0', '8.5', '1k', 'many', '', '1e3', 'NaN']],
    ['vllm', '--max_num_seqs', ['64'], ['-4']],
    [
      'vllm',
      '--max-model-len',
      ['8192', '8k', '8K', '25.6k', '1.1k', 'auto', '-1'],
      ['8192.5', '0', '-2', '25.6K', '0.0001k', '8Ki', 'long'],
    ],
    ['vllm', '--max-num-batched-tokens', ['2048', '8k'], ['auto', '2048.5', '-1']],
    ['vllm', '--gpu-memory-utilization', ['0.9', '1', '.85', '1.0'], ['0', '1.01', '90', '90%', '-0.5', '0,9']],
    ['vllm', '--swap-space', ['0', '4', '0.5'], ['-1', 'none']],
    ['sglang', '--chunked-prefill-size', ['4096', '-1'], ['-2', '4096.5']],
    ['tgi', 'MAX_BATCH_TOTAL_TOKENS', ['16000'], ['0', '16000.5', '16k']],
    ['tgi', 'CUDA_MEMORY_FRACTION', ['0.8'], ['8']],
    ['llama.cpp', '--ctx-size', ['0', '8192'], ['-1', '8k']],
    ['ollama', 'OLLAMA_NUM_PARALLEL', ['0', '4'], ['-1', '1.5']],
    ['tensorrt-llm', '--max_batch_size', ['8'], ['0']],
    // An engine that is not known is taken for any that has the flag.
    [undefined, '--max-total-tokens', ['1'], ['-1', '1.5']],
    ['unknown', '--max-num-seqs', ['1'], ['-4']],
  ])('%s %s', (engine, flag, taken, refused) => {
    expect(taken.filter((to) => whyNotTaken(engine, flag, to) !== undefined)).toEqual([]);
    expect(refused.filter((to) => whyNotTaken(engine, flag, to) === undefined)).toEqual([]);
  });

  it('is told in words with the value that it is not', () => {
    expect(whyNotTaken('vllm', '--max-num-seqs', '-4')).toBe(
      '--max-num-seqs takes a whole number from 1 on, and not -4',
    );
    expect(rangeOfFlag(undefined, '--gpu-memory-utilization')).toBe('a share above 0 and up to 1');
  });

  it.each(['--kv-cache-dtype', '--made-up', 'HOME'])(
    '%s takes whatever it is given, since no number is known of it',
    (flag) => {
      expect([whyNotTaken('vllm', flag, 'anything'), rangeOfFlag('vllm', flag)]).toEqual([undefined, undefined]);
    },
  );

  it('is known of flags that the flag table has, where that tells of the engine', () => {
    const names = Object.entries(tablesInForce().takes)
      .filter(([engine]) => engine !== 'nim' && engine !== 'tensorrt-llm')
      .flatMap(([engine, kinds]) =>
        Object.values(kinds).flatMap((flags) => flags.map((flag) => [engine, flag] as const)),
      );
    const missing = names.filter(
      ([engine, flag]) => flag !== '--max-input-length' && flag.startsWith('--') && entryOf(engine, flag) === undefined,
    );

    expect(missing).toEqual([]);
  });
});
