import { describe, expect, it } from 'vitest';
import { fitProfile } from '../../src/budget/fit-profile.ts';
import { GIB } from '../../src/model/quantity.ts';
import { aFit, editsOf, fitted } from './fits.ts';

const UTIL = '--gpu-memory-utilization';
const LEN = '--max-model-len';
const SEQS = '--max-num-seqs';
const PASS = '--max-num-batched-tokens';
const STATIC = '--mem-fraction-static';
const PREFILL = '--max-batch-prefill-tokens';

const H100 = { totalBytes: 79.18 * GIB, kvAvailableBytes: 50 * GIB, kvTokens: 400_000, maxModelLen: 131_072 };

describe('a profile of vLLM', () => {
  it('is the numbers of the book where the card holds them', () => {
    const told = { [UTIL]: 0.95, [LEN]: 131_072, [SEQS]: 512, [PASS]: 32_768 };

    const of = (profile?: 'performance' | 'emergency') => fitted({ figures: H100, told, ...(profile && { profile }) });

    expect(of()).toEqual({ [LEN]: '4096', [SEQS]: '32', [PASS]: '16384', [UTIL]: '0.88' });
    expect(of('performance')).toEqual({ [LEN]: '32768', [SEQS]: '64', [PASS]: '24576', [UTIL]: '0.88' });
    expect(of('emergency')).toEqual({ [SEQS]: '16', [PASS]: '8192', [UTIL]: '0.75' });
  });

  it('never raises what is safer already', () => {
    const told = { [UTIL]: 0.7, [LEN]: 2048, [SEQS]: 8, [PASS]: 1024 };

    const fit = fitProfile(aFit({ figures: { ...H100, maxModelLen: 2048 }, told }));

    expect(fit).toMatchObject({ kind: 'fitted', edits: [] });
    expect(fit.kind === 'fitted' && fit.left.find(({ flag }) => flag === UTIL)?.why).toMatch(/already safer/);
  });

  it('leaves a pass alone where the default of the engine is smaller than the profile', () => {
    expect(fitted({ told: { [UTIL]: 0.95, [LEN]: 16_384 } })).not.toHaveProperty(PASS);
  });

  it('lowers the fraction only as far as the cache still holds one sequence', () => {
    const figures = { kvAvailableBytes: 2 * GIB, kvTokens: 16_384, maxModelLen: 8192 };

    // 2 GiB less (0.95 - 0.89) x 22.06 leaves 0.68; 4096 tokens take 0.5, and 0.53 with their margin. 0.88 would leave 0.46.
    expect(fitted({ figures, told: { [UTIL]: 0.95, [LEN]: 8192 } })).toMatchObject({ [UTIL]: '0.89', [LEN]: '4096' });
  });

  it('keeps the fraction of a small card that the emergency profile would leave without a cache', () => {
    const figures = { kvAvailableBytes: 2.1 * GIB, kvTokens: 17_200, maxModelLen: 16_384 };
    const told = { [UTIL]: 0.9, [LEN]: 16_384, [SEQS]: 256 };
    const fit = fitProfile(aFit({ profile: 'emergency', figures, told }));

    expect(fit).toMatchObject({ kind: 'fitted', proven: true });
    if (fit.kind !== 'fitted') return;
    expect(fit.edits.map(({ flag }) => flag)).toEqual([SEQS]);
    expect(fit.left.find(({ flag }) => flag === UTIL)?.why).toMatch(
      /too little KV cache for one sequence: .*2\.10 GiB/,
    );
  });

  it('raises the fraction after a refusal for want of KV room, and never lowers it', () => {
    const figures = { kvAvailableBytes: 0.4 * GIB, kvNeededBytes: 2 * GIB, maxModelLen: 16_384 };

    // 4096 tokens take 0.5 GiB, 0.53 with their margin: 0.13 / 22.06 more than 0.85, and the profile's 0.88 is more still.
    const from = (fraction: number) =>
      fitted({ direction: 'raise', figures, told: { [UTIL]: fraction, [LEN]: 16_384 } });
    expect(from(0.85)).toMatchObject({ [UTIL]: '0.88', [LEN]: '4096' });
    expect(from(0.92)).toMatchObject({ [UTIL]: '0.93', [LEN]: '4096' });
  });

  it('raises nothing on a card of unknown memory, and takes the length that the cache holds', () => {
    const pool = { kvAvailableBytes: 0.4 * GIB, kvNeededBytes: 2 * GIB, maxModelLen: 16_384 };
    const figures = { ...pool, totalBytes: undefined, weightsBytes: undefined };
    const told = { [UTIL]: 0.85, [LEN]: 16_384, [SEQS]: 256 };

    const fit = fitProfile(aFit({ direction: 'raise', profile: 'emergency', figures, told }));

    // 0.4 GiB hold 204 blocks of 16 tokens of 2 GiB / 16384; 95% in whole blocks.
    expect(editsOf(fit)).toEqual({ [LEN]: '3088', [SEQS]: '16' });
    expect(fit.kind === 'fitted' && fit.left.find(({ flag }) => flag === UTIL)?.why).toMatch(/GPU memory is unknown/);
    expect(fit).toMatchObject({ proven: true });
  });

  it('raises no higher than the card allows, and takes the length that is then left', () => {
    const figures = { kvAvailableBytes: 0.2 * GIB, kvNeededBytes: 2 * GIB, maxModelLen: 16_384, estimatedMaxLen: 1638 };

    // 0.2 + 0.01 x 22.06 = 0.42 GiB hold 3445 tokens; 95% in blocks of 16.
    const told = { [UTIL]: 0.92, [LEN]: 16_384 };
    expect(fitted({ direction: 'raise', figures, told })).toMatchObject({ [UTIL]: '0.93', [LEN]: '3264' });
  });

  it('lowers by what the failed allocation lacked, where that is more than the profile asks', () => {
    const told = { [UTIL]: 0.9, [LEN]: 4096, [SEQS]: 8 };
    const lowered = (loweredFraction: number | undefined) =>
      fitted({ figures: { ...H100, maxModelLen: 4096, loweredFraction }, told })[UTIL];

    expect(lowered(undefined)).toBe('0.88');
    expect(lowered(0.87)).toBe('0.87');
    expect(lowered(0.7)).toBe('0.7');
  });

  it('is refused with its sum where the engine would not start', () => {
    const figures = { kvAvailableBytes: -1.2 * GIB, kvNeededBytes: 2 * GIB, maxModelLen: 16_384 };
    const fit = fitProfile(aFit({ direction: 'raise', figures, told: { [UTIL]: 0.93, [LEN]: 16_384 } }));

    expect(fit).toMatchObject({ kind: 'refused', sum: expect.stringContaining('-1.20 GiB') });
    expect(fit.kind === 'refused' && fit.why).toMatch(/4,096 tokens take 0\.50 GiB, the KV cache has -1\.20 GiB/);
  });

  it('asks for no more than was free at the start', () => {
    const figures = { ...H100, freeAtStartBytes: 60 * GIB };

    expect(fitted({ figures, told: { [UTIL]: 0.9, [LEN]: 4096 } })).toMatchObject({ [UTIL]: '0.74' });
  });

  it('does not call it impossible where the ranks are not known', () => {
    const figures = { totalBytes: 39.4 * GIB, weightsBytes: undefined, model: 'mistralai/Mixtral-8x7B-v0.1' };

    expect(fitProfile(aFit({ figures }))).toMatchObject({ kind: 'fitted', proven: false });
    expect(fitProfile(aFit({ figures, told: { '--tensor-parallel-size': 2 } })).kind).toBe('refused');
  });

  it('lowers no fraction on figures that are not there, and says which', () => {
    const figures = { model: 'acme/own-9b', weightsBytes: undefined };
    const fit = fitProfile(aFit({ figures, told: { [UTIL]: 0.95, [LEN]: 16_384 } }));

    expect(fit).toMatchObject({ kind: 'fitted', proven: false });
    expect(fit.kind === 'fitted' && fit.left.find(({ flag }) => flag === UTIL)?.why).toMatch(
      /may no longer hold one sequence/,
    );
    expect(fit.kind === 'fitted' && fit.edits.map(({ flag }) => flag)).toEqual([LEN, SEQS]);
  });

  it('sets no length where the one in force is not known', () => {
    expect(fitted({ figures: { maxModelLen: undefined } })).not.toHaveProperty(LEN);
    expect(fitted({ figures: { maxModelLen: undefined }, told: { [LEN]: 'auto' } })).not.toHaveProperty(LEN);
  });

  it('keeps a pass that holds a whole prompt where chunked prefill is off', () => {
    const told = { [PASS]: 32_768, [LEN]: 32_768, '--enable-chunked-prefill': 'false', [UTIL]: 0.95 };
    const figures = { ...H100, maxModelLen: 32_768 };

    expect(fitted({ figures, told, profile: 'emergency' })).toMatchObject({ [SEQS]: '16' });
    expect(fitted({ figures, told, profile: 'emergency' })).not.toHaveProperty(PASS);
    expect(fitted({ figures, told })).toMatchObject({ [LEN]: '4096', [PASS]: '16384' });
  });

  const V1 = { generation: 'V1' as const };
  const NO_START = { kvAvailableBytes: undefined, kvTokens: undefined };

  it.each([
    ['the log says V1', { [PASS]: 16_384, [LEN]: 32_768 }, V1, '8192'],
    ['its pass is shorter than its length, and it sized its pool', { [PASS]: 16_384, [LEN]: 32_768 }, {}, '8192'],
    ['the pass was as long as a prompt, and the log says V1', { [PASS]: 65_536 }, V1, '8192'],
    ['the pass is as long as a prompt, and nothing tells', { [PASS]: 65_536 }, {}, '32768'],
    ['the pass is shorter, and nothing shows a start', { [PASS]: 16_384 }, NO_START, undefined],
  ])('lowers the tokens of a pass as far as the engine takes prompts in pieces: %s', (_what, told, figures, to) => {
    const part = { version: '0.9.2', profile: 'emergency' as const, told: { [UTIL]: 0.95, ...told } };

    expect(fitted({ ...part, figures: { ...H100, maxModelLen: 32_768, ...figures } })[PASS]).toBe(to);
  });

  it('without a version sets only flags that every version has, and compares with the lowest default', () => {
    const edits = fitted({ version: undefined, figures: H100, told: { [LEN]: 131_072 } });

    expect(edits).toEqual({ [LEN]: '4096', [SEQS]: '32', [UTIL]: '0.88' });
  });
});

describe('profiles of other engines', () => {
  const llama = { totalBytes: 22.06 * GIB, weightsBytes: 14.99 * GIB, model: 'meta-llama/Llama-3.1-8B-Instruct' };

  it('SGLang: the fraction goes down by a step, the length is not held against the pool', () => {
    const told = { [STATIC]: 0.88, '--context-length': 131_072, '--chunked-prefill-size': 8192 };
    const edits = fitted({ engine: 'sglang', version: '0.5.3', figures: llama, told });

    expect(edits).toMatchObject({ [STATIC]: '0.83', '--context-length': '4096', '--chunked-prefill-size': '2048' });
  });

  it('SGLang: the fraction goes up above the least that it names, as far as the card allows', () => {
    const told = { [STATIC]: 0.7, '--context-length': 4096 };
    const raised = (leastFraction: number) => {
      const figures = { totalBytes: 79.18 * GIB, weightsBytes: 50 * GIB, maxModelLen: 4096, leastFraction };
      return fitProfile(aFit({ engine: 'sglang', version: '0.5.18', direction: 'raise', figures, told }));
    };

    expect(editsOf(raised(0.8312))).toMatchObject({ [STATIC]: '0.86' });
    const why = expect.stringMatching(/needs more than 0\.94 to start/);
    expect(raised(0.94)).toMatchObject({ left: expect.arrayContaining([{ flag: STATIC, why }]) });
  });

  it('SGLang: its fraction is one of what was free before loading', () => {
    const load = { loadFreeBytes: 21.5 * GIB, loadLeftBytes: 6.5 * GIB, weightsBytes: 15 * GIB };
    const figures = { ...llama, ...load, totalBytes: undefined };
    const told = { [STATIC]: 0.6, '--context-length': 32_768 };
    const part = { engine: 'sglang', version: '0.5.3', direction: 'raise' as const, figures, told };

    // 21.5 x 0.73 - 15 = 0.70 GiB, and 4096 tokens take 0.5, 0.53 with their margin; 0.72 would leave 0.48.
    expect(fitProfile(aFit(part))).toMatchObject({ kind: 'fitted', proven: true });
    expect(fitted(part)).toMatchObject({ [STATIC]: '0.73', '--context-length': '4096' });
    // 1 GiB and 3 for activations stay outside: 4 / 21.5 = 0.186.
    expect(fitted({ ...part, profile: 'performance' })).toMatchObject({ [STATIC]: '0.81' });
  });

  it('TGI: the input stays below the length, and a pass holds it', () => {
    const told = { '--max-total-tokens': 32_768, '--max-input-tokens': 30_000, [PREFILL]: 30_000 };
    const figures = { ...llama, kvAvailableBytes: 3 * GIB };
    const edits = fitted({ engine: 'tgi', version: '3.3.5', figures, told, direction: 'none' });

    expect(edits).toMatchObject({ '--max-total-tokens': '4096', '--max-input-tokens': '3072' });
    expect(Number(edits[PREFILL])).toBeGreaterThanOrEqual(3072);
  });

  it.each([
    ['is halved no further than the longest input', 8192, '8192'],
    ['stays where the longest input fills it', 16_384, undefined],
  ])('TGI: a pass %s', (_what, input, pass) => {
    const told = { '--max-total-tokens': 16_385, '--max-input-tokens': input, [PREFILL]: 16_384 };
    const part = { engine: 'tgi', version: undefined, figures: { ...llama, totalBytes: 79.14 * GIB }, told };

    expect(fitted({ ...part, named: PREFILL })[PREFILL]).toBe(pass);
    expect(fitted(part)).not.toHaveProperty(PREFILL);
  });

  it('LMDeploy: a share of the memory that is free after weights', () => {
    const told = { '--session-len': 32_768, '--cache-max-entry-count': 0.8 };

    const edits = fitted({ engine: 'lmdeploy', version: '0.9.0', figures: llama, told });
    expect(edits).toMatchObject({ '--cache-max-entry-count': '0.7', '--session-len': '4096' });
  });

  it('llama.cpp: the context that the card holds beside the weights', () => {
    const told = { '--ctx-size': 131_072 };

    const edits = fitted({ engine: 'llama.cpp', version: undefined, figures: llama, told });
    expect(edits).toMatchObject({ '--ctx-size': '4096', '--parallel': '1' });

    const fitLayers = (weights: number, layers: object) => {
      const figures = { ...llama, weightsBytes: weights * GIB };
      return fitProfile(aFit({ engine: 'llama.cpp', figures, told: { ...told, ...layers } }));
    };
    expect(fitLayers(21.5, {}).kind).toBe('refused');
    expect(fitLayers(30, { '--n-gpu-layers': 999 }).kind).toBe('refused');
    // The rest of the layers may lie in host memory.
    expect(fitLayers(30, { '--n-gpu-layers': 20 })).toMatchObject({ kind: 'fitted', proven: false });
  });

  it('Ollama: contexts times slots', () => {
    const told = { OLLAMA_CONTEXT_LENGTH: 131_072, OLLAMA_NUM_PARALLEL: 4 };

    const of = (version: string) => fitted({ engine: 'ollama', version, figures: llama, told });

    expect(of('0.6.2')).toMatchObject({ OLLAMA_CONTEXT_LENGTH: '4096', OLLAMA_NUM_PARALLEL: '1' });
    expect(of('0.5.7')).not.toHaveProperty('OLLAMA_CONTEXT_LENGTH');
  });
});
