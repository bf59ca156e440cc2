import { describe, expect, it } from 'vitest';
import { SIGNATURES } from '../../playbooks/shipped.ts';
import { scan } from '../log/scan-text.ts';

const DECIDING: ReadonlySet<string> = new Set(['proof', 'strong', 'rules-out']);

describe('a signature', () => {
  it('that nobody could verify in source or documentation weighs no more than a hint', () => {
    const wrong = SIGNATURES.filter(
      ({ source, weight }) => DECIDING.has(weight) && /unverified|public logs?$/.test(source),
    );

    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  it('names a repository, a file, a standard or a documentation as its source', () => {
    expect(SIGNATURES.filter(({ source }) => source.length < 12).map(({ id }) => id)).toEqual([]);
  });

  it('is found by the scan in each line that it says it matches', () => {
    const missed = SIGNATURES.flatMap(({ id, must }) =>
      must
        .filter((line) => !scan(`${line}\n`).hits.some((hit) => hit.id === id))
        .map((line) => `${id}: ${line.slice(0, 80)}`),
    );

    expect(missed).toEqual([]);
  });
});

it.each([
  'build: 4277 (c5ede384) with cc (Ubuntu 11.4.0) 11.4.0 for x86_64-linux-gnu',
  '[TensorRT-LLM][INFO] [MemUsageChange] Allocated 4.53 GiB for max tokens in paged KV cache (395776).',
  'level=INFO msg="kv cache" device=CUDA0 size="1.0 GiB"',
  'INFO text_generation_launcher: Cuda Graphs are enabled for sizes [32, 16, 8]',
  '[TP0] Capture cuda graph begin. This can take up to several minutes. avail mem=2.98 GB',
])('lines of start-up and of service are evidence of nothing: %s', (line) => {
  const weights = new Map(SIGNATURES.map(({ id, weight }) => [id, weight]));

  expect(scan(`${line}\n`).hits.map(({ id }) => weights.get(id))).not.toContain('hint');
  expect(scan(`${line}\n`).hits.some(({ id }) => DECIDING.has(weights.get(id) ?? ''))).toBe(false);
});
