import { describe, expect, it } from 'vitest';
import { checkBounds, checkDirection, checkProtected } from '../../src/actions/guards.ts';
import type { Bound } from '../../src/model/plan.ts';
import type { Edit } from '../../src/model/verdict.ts';

const anEdit = (flag: string, from: string | null, to: string | null): Edit => ({ flag, from, to, why: '', facts: [] });

const BOUNDS: readonly Bound[] = [
  { flag: '--max-model-len', min: 1024, max: 8192 },
  { flag: '--gpu-memory-utilization', min: null, max: 0.9 },
  { flag: '--enforce-eager', min: null, max: null },
  { flag: 'resources.limits.memory', min: null, max: 64 * 2 ** 30 },
];

describe('bounds of a profile', () => {
  it.each<[name: string, flag: string, to: string | null, ok: boolean]>([
    ['inside', '--max-model-len', '4096', true],
    ['on the upper line', '--max-model-len', '8192', true],
    ['on the upper line as vLLM writes it', '--max-model-len', '8K', true],
    ['on the lower line', '--max-model-len', '1024', true],
    ['in decimal thousands', '--max-model-len', '1k', false],
    ['above', '--max-model-len', '8193', false],
    ['below', '--max-model-len', '1023', false],
    ['as vLLM writes millions', '--max-model-len', '4000000m', false],
    ['as a quantity of Kubernetes', '--max-model-len', '4Ki', false],
    ['with an exponent, which engines read as no whole number', '--max-model-len', '4e3', false],
    ['with underscores', '--max_model_len', '99999', false],
    ['no number', '--max-model-len', 'auto', false],
    ['not a number at all', '--max-model-len', 'NaN', false],
    ['left to the engine', '--max-model-len', null, false],
    ['bound on one side only', '--gpu-memory-utilization', '0.1', true],
    ['above the one side', '--gpu-memory-utilization', '0.91', false],
    ['no bound at all', '--enforce-eager', 'true', true],
    ['no bound, taken out', '--enforce-eager', null, true],
    ['a size', 'resources.limits.memory', '64Gi', true],
    ['a size above', 'resources.limits.memory', '65Gi', false],
    ['a flag the profile does not name', '--block-size', '16', false],
  ])('%s: %s %s', (_name, flag, to, ok) => {
    expect(checkBounds([anEdit(flag, null, to)], BOUNDS).map(({ kind }) => kind)).toEqual(ok ? [] : ['outside-bounds']);
  });

  it('are not asked for where there is no profile', () => {
    expect(checkBounds([anEdit('--max-model-len', null, '1')], [])).toEqual([]);
  });
});

describe('the direction of a remedy', () => {
  it.each<[direction: 'raise' | 'lower' | 'set' | 'none', from: string | null, to: string | null, ok: boolean]>([
    ['raise', '0.8', '0.9', true],
    ['raise', '0.9', '0.8', false],
    ['lower', '0.9', '0.8', true],
    ['lower', '0.8', '0.9', false],
    ['lower', '8k', '8K', false],
    ['lower', '64Gi', '32Gi', true],
    ['raise', '0.9', '0.9', true],
    ['raise', null, '0.1', true],
    ['raise', 'auto', '0.1', true],
    ['set', '2', '1', true],
    ['none', '2', '1', true],
  ])('%s: %s to %s', (direction, from, to, ok) => {
    const found = checkDirection([anEdit('--gpu-memory-utilization', from, to)], direction);

    expect(found.map(({ kind }) => kind)).toEqual(ok ? [] : ['wrong-direction']);
  });

  it('is that of the main knob, which stands first', () => {
    const edits = [anEdit('--gpu-memory-utilization', '0.8', '0.9'), anEdit('--max-num-seqs', '256', '64')];

    expect(checkDirection(edits, 'raise')).toEqual([]);
    expect(checkDirection([], 'raise')).toEqual([]);
  });
});

describe('protected values', () => {
  it.each<[flag: string, ok: boolean]>([
    ['--max-model-len', true],
    ['--enable-prefix-caching', true],
    ['--no-enable-prefix-caching', true],
    ['resources.limits.memory', true],
    ['PYTORCH_ALLOC_CONF', true],
    ['PYTORCH_CUDA_ALLOC_CONF', true],
    ['NIM_MAX_MODEL_LEN', true],
    ['MAX_BATCH_PREFILL_TOKENS', true],
    ['MAX_TOTAL_TOKENS', true],
    ['--model', false],
    ['--MODEL', false],
    ['--served_model_name', false],
    ['--api-key', false],
    ['--no-trust-remote-code', false],
    ['--port', false],
    ['--tensor-parallel-size', false],
    ['-tp', false],
    ['--num-shard', false],
    ['-m', false],
    ['--worker-cls', false],
    ['--middleware', false],
    ['--lora-modules', false],
    ['--lora_paths', false],
    ['--load-format', false],
    ['--speculative-config', false],
    ['--otlp-traces-endpoint', false],
    ['-c', true],
    ['--kv-cache-dtype', true],
    ['--quantization', true],
    ['HF_TOKEN', false],
    ['NIM_NGC_API_KEY', false],
    ['NIM_ACCESS_TOKEN', false],
    ['LD_PRELOAD', false],
    ['PATH', false],
    ['OLLAMA_HOST', false],
  ])('%s', (flag, ok) => {
    expect(checkProtected([anEdit(flag, null, '1')]).map(({ kind }) => kind)).toEqual(ok ? [] : ['protected']);
  });

  it.each([
    ['--speculative-config', true],
    ['--kv-transfer-config', true],
    ['--api-key', false],
    ['--tensor-parallel-size', false],
  ] as const)('%s: what loads something more may be taken away: %s', (flag, ok) => {
    expect(checkProtected([anEdit(flag, 'x', null)])).toHaveLength(ok ? 0 : 1);
  });
});
