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
  it.each<{ name: string; flag: string; to: string | null; ok: boolean }>([
    { name: 'inside', flag: '--max-model-len', to: '4096', ok: true },
    { name: 'on the upper line', flag: '--max-model-len', to: '8192', ok: true },
    { name: 'on the upper line as vLLM writes it', flag: '--max-model-len', to: '8K', ok: true },
    { name: 'on the lower line', flag: '--max-model-len', to: '1024', ok: true },
    { name: 'in decimal thousands', flag: '--max-model-len', to: '1k', ok: false },
    { name: 'above', flag: '--max-model-len', to: '8193', ok: false },
    { name: 'below', flag: '--max-model-len', to: '1023', ok: false },
    { name: 'as vLLM writes millions', flag: '--max-model-len', to: '4000000m', ok: false },
    { name: 'as a quantity of Kubernetes', flag: '--max-model-len', to: '4Ki', ok: false },
    { name: 'with an exponent, which engines read as no whole number', flag: '--max-model-len', to: '4e3', ok: false },
    { name: 'with underscores', flag: '--max_model_len', to: '99999', ok: false },
    { name: 'no number', flag: '--max-model-len', to: 'auto', ok: false },
    { name: 'not a number at all', flag: '--max-model-len', to: 'NaN', ok: false },
    { name: 'left to the engine', flag: '--max-model-len', to: null, ok: false },
    { name: 'bound on one side only', flag: '--gpu-memory-utilization', to: '0.1', ok: true },
    { name: 'above the one side', flag: '--gpu-memory-utilization', to: '0.91', ok: false },
    { name: 'no bound at all', flag: '--enforce-eager', to: 'true', ok: true },
    { name: 'no bound, taken out', flag: '--enforce-eager', to: null, ok: true },
    { name: 'a size', flag: 'resources.limits.memory', to: '64Gi', ok: true },
    { name: 'a size above', flag: 'resources.limits.memory', to: '65Gi', ok: false },
    { name: 'a flag the profile does not name', flag: '--block-size', to: '16', ok: false },
  ])('$name: $flag $to', ({ flag, to, ok }) => {
    expect(checkBounds([anEdit(flag, null, to)], BOUNDS).map(({ kind }) => kind)).toEqual(ok ? [] : ['outside-bounds']);
  });

  it('are not asked for where there is no profile', () => {
    expect(checkBounds([anEdit('--max-model-len', null, '1')], [])).toEqual([]);
  });
});

describe('the direction of a remedy', () => {
  it.each<{ direction: 'raise' | 'lower' | 'set' | 'none'; from: string | null; to: string | null; ok: boolean }>([
    { direction: 'raise', from: '0.8', to: '0.9', ok: true },
    { direction: 'raise', from: '0.9', to: '0.8', ok: false },
    { direction: 'lower', from: '0.9', to: '0.8', ok: true },
    { direction: 'lower', from: '0.8', to: '0.9', ok: false },
    { direction: 'lower', from: '8k', to: '8K', ok: false },
    { direction: 'lower', from: '64Gi', to: '32Gi', ok: true },
    { direction: 'raise', from: '0.9', to: '0.9', ok: true },
    { direction: 'raise', from: null, to: '0.1', ok: true },
    { direction: 'raise', from: 'auto', to: '0.1', ok: true },
    { direction: 'set', from: '2', to: '1', ok: true },
    { direction: 'none', from: '2', to: '1', ok: true },
  ])('$direction: $from to $to', ({ direction, from, to, ok }) => {
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
  it.each<{ flag: string; ok: boolean }>([
    { flag: '--max-model-len', ok: true },
    { flag: '--enable-prefix-caching', ok: true },
    { flag: '--no-enable-prefix-caching', ok: true },
    { flag: 'resources.limits.memory', ok: true },
    { flag: 'PYTORCH_ALLOC_CONF', ok: true },
    { flag: 'PYTORCH_CUDA_ALLOC_CONF', ok: true },
    { flag: 'NIM_MAX_MODEL_LEN', ok: true },
    { flag: 'MAX_BATCH_PREFILL_TOKENS', ok: true },
    { flag: 'MAX_TOTAL_TOKENS', ok: true },
    { flag: '--model', ok: false },
    { flag: '--MODEL', ok: false },
    { flag: '--served_model_name', ok: false },
    { flag: '--api-key', ok: false },
    { flag: '--no-trust-remote-code', ok: false },
    { flag: '--port', ok: false },
    { flag: '--tensor-parallel-size', ok: false },
    { flag: '-tp', ok: false },
    { flag: '--num-shard', ok: false },
    { flag: '-m', ok: false },
    { flag: '--worker-cls', ok: false },
    { flag: '--middleware', ok: false },
    { flag: '--lora-modules', ok: false },
    { flag: '--lora_paths', ok: false },
    { flag: '--load-format', ok: false },
    { flag: '--speculative-config', ok: false },
    { flag: '--otlp-traces-endpoint', ok: false },
    { flag: '-c', ok: true },
    { flag: '--kv-cache-dtype', ok: true },
    { flag: '--quantization', ok: true },
    { flag: 'HF_TOKEN', ok: false },
    { flag: 'NIM_NGC_API_KEY', ok: false },
    { flag: 'NIM_ACCESS_TOKEN', ok: false },
    { flag: 'LD_PRELOAD', ok: false },
    { flag: 'PATH', ok: false },
    { flag: 'OLLAMA_HOST', ok: false },
  ])('$flag', ({ flag, ok }) => {
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
