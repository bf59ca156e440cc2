// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell scripts
import { describe, expect, it } from 'vitest';
import { applyPatch } from '../../../src/model/json-patch.ts';
import { type Container, type Edits, edit, inScript, type More, VLLM } from './edit-helpers.ts';

const referring = (words: string, env: unknown[], before = '') => ({
  ...inScript(`${before}vllm serve m ${words}`),
  env,
});

describe('an edit is refused', () => {
  type Case = [reason: string, container: unknown, edits: Edits, more?: More];
  const seed = { '--seed': '2' };

  it.each<Case>([
    ['malformed', null, seed],
    ['malformed', { args: 'vllm serve' }, seed],
    ['malformed', { args: ['a', 1] }, seed],
    ['malformed', { env: [{ value: 'x' }] }, { A: '1' }],
    ['nothing-to-change', { command: VLLM, args: ['--seed', '2'] }, seed],
    ['nothing-to-change', { command: VLLM }, { '--seed': null }],
    ['nothing-to-change', { command: VLLM }, { '--enforce-eager': 'false' }],
    ['nothing-to-change', { command: [...VLLM, '--no-enable-prefix-caching'] }, { '--enable-prefix-caching': 'false' }],
    ['nothing-to-change', { command: [...VLLM, '--enable-prefix-caching'] }, { '--no-enable-prefix-caching': null }],
    ['nothing-to-change', { command: VLLM }, {}],
    ['conflicting-edits', { command: VLLM }, { '-tp': '1', '--tensor-parallel-size': '2' }],
    [
      'conflicting-edits',
      { command: VLLM },
      { '--enable-prefix-caching': 'true', '--no-enable-prefix-caching': 'true' },
    ],
    [
      'conflicting-edits',
      { env: [{ name: 'VLLM_ADDITIONAL_ARGS', value: '--seed=1' }] },
      { VLLM_ADDITIONAL_ARGS: '--port=1', '--seed': '2' },
    ],
    [
      'conflicting-edits',
      { env: [{ name: 'MAX_TOTAL_TOKENS', value: '4' }] },
      { MAX_TOTAL_TOKENS: '1', '--max-total-tokens': '2' },
      { engine: 'tgi' },
    ],
    ['unfit-value', { command: VLLM }, { '--seed': '$(reboot)' }],
    ['unfit-value', { command: VLLM }, { '--seed': '`a`' }],
    ['unfit-value', { command: VLLM }, { '--seed': '1\n2' }],
    ['unfit-value', { command: VLLM }, { '--seed': '--port' }],
    ['unfit-value', { command: VLLM }, { '--seed': '' }],
    ['unfit-value', { command: VLLM }, { '--enforce-eager': '1' }],
    ['unfit-value', { command: VLLM }, { '--x; reboot': '1' }],
    ['unknown-flag', { command: VLLM }, { '--max-modell-len': '2' }],
    ['unknown-engine', { command: VLLM }, seed, { engine: 'unknown' }],
    ['flag-not-in-version', { command: VLLM }, { '--swap-space': '0' }, { version: '0.18.1' }],
    [
      'flag-not-in-version',
      { command: ['python3', '-m', 'sglang.launch_server', '--model-path', 'm'] },
      { '--cuda-graph-max-bs': '8' },
      { engine: 'sglang', version: '0.3.4' },
    ],
    [
      'flag-not-in-version',
      { command: ['llama-server', '-m', 'm'] },
      { '--no-mmap': 'true' },
      { engine: 'llama.cpp', version: '11434' },
    ],
    [
      'flag-not-in-version',
      { command: ['llama-server', '-m', 'm'] },
      { '--load-mode': 'none' },
      { engine: 'llama.cpp', version: '9000' },
    ],
    ['flag-not-in-version', { command: VLLM }, { '--kv-offloading-size': '1' }, { version: 'v0.10.2' }],
    ['computed-value', { command: [...VLLM, '--seed', '$(SEED)'] }, seed],
    ['computed-value', { command: [...VLLM, '--seed=$$(SEED)'] }, seed],
    ['computed-value', inScript('vllm serve m --seed $SEED'), seed],
    ['computed-value', inScript('vllm serve m --seed="${SEED:-1}"'), seed],
    ['computed-value', inScript('vllm serve m --seed $(cat x)'), seed],
    ['computed-value', inScript('vllm serve m --seed `cat x`'), seed],
    ['computed-value', inScript("vllm serve m --seed '$(SEED)'"), seed],
    ['computed-value', inScript('vllm serve m --seed 1 --seed $SEED'), { '--seed': null }],
    ['computed-value', referring('--seed $S', [{ name: 'S', value: '1' }], 'echo $S; '), seed],
    ['computed-value', referring('--seed $S', [{ name: 'S', value: '1' }], 'S=2\n'), seed],
    ['computed-value', referring('--seed $S', [{ name: 'S', value: '1 --port 2' }]), seed],
    ['computed-value', referring('--seed $S', [{ name: 'S', value: '' }]), seed],
    ['computed-value', referring('--seed $S', [{ name: 'S', valueFrom: {} }]), seed],
    ['computed-value', referring('--seed ${S:-1}', []), seed],
    ['computed-value', referring('--seed ${S:+1}', [{ name: 'S', value: '1' }]), seed],
    ['computed-value', referring('--seed $VLLM_SEED', [{ name: 'VLLM_SEED', value: '1' }]), seed],
    ['computed-value', referring('--seed $WORLD_SIZE', [{ name: 'WORLD_SIZE', value: '1' }]), seed],
    ['computed-value', referring('--seed $OMP_NUM_THREADS', [{ name: 'OMP_NUM_THREADS', value: '1' }]), seed],
    ['computed-value', referring('--hf-overrides $S', [{ name: 'S', value: '1' }]), { '--hf-overrides': '{"a": 1}' }],
    [
      'computed-value',
      {
        ...referring('--seed $S', [{ name: 'S', value: '1' }]),
        livenessProbe: { exec: { command: ['probe', '$(S)'] } },
      },
      seed,
    ],
    [
      'computed-value',
      { args: ['--max-batch-total-tokens', '$(MAX_TOTAL_TOKENS)'], env: [{ name: 'MAX_TOTAL_TOKENS', value: '4' }] },
      { '--max-batch-total-tokens': '2' },
      { engine: 'tgi' },
    ],
    ['flag-in-variable', inScript('vllm serve m --seed 1 $EXTRA'), seed],
    ['flag-in-variable', inScript('vllm serve m "${ARGS[@]}"'), seed],
    ['flag-in-variable', inScript('vllm serve m $@'), seed],
    ['flag-in-variable', inScript('vllm serve m --$NAME=1'), seed],
    ['flag-in-variable', { command: [...VLLM, '$(EXTRA)'] }, seed],
    ['flag-in-variable', { ...inScript('vllm serve m $EXTRA'), env: [{ name: 'EXTRA', value: '--a --seed 1' }] }, seed],
    ['flag-in-variable', { ...inScript('vllm serve m $EXTRA'), env: [{ name: 'EXTRA', valueFrom: {} }] }, seed],
    [
      'flag-in-variable',
      { ...inScript('EXTRA="$X"; vllm serve m $EXTRA'), env: [{ name: 'EXTRA', value: '--a' }] },
      seed,
    ],
    ['flag-in-variable', { env: [{ name: 'VLLM_ADDITIONAL_ARGS', valueFrom: {} }] }, seed],
    ...[
      { env: [{ name: 'NIM_PASSTHROUGH_ARGS', value: '--seed 1 --max_model_len=8192' }] },
      { env: [{ name: 'NIM_PASSTHROUGH_ARGS', value: '$(EXTRA)' }] },
      { env: [{ name: 'NIM_PASSTHROUGH_ARGS', valueFrom: {} }] },
      { args: ['nim-serve', '--max-model-len', '8192'] },
    ].map((nim): Case => ['outranked', nim, { '--max-model-len': '4096' }, { engine: 'nim' }]),
    ['here-document', inScript('cat <<E\nx\nE\nvllm serve m --seed 1'), seed],
    ['dollar-quote', inScript("vllm serve m --seed $'1'"), seed],
    ['unbalanced', inScript('vllm serve m --seed "1'), seed],
    ['unsupported-shell', inScript('vllm serve m \\\r\n --seed 1'), seed],
    ['several-engines', inScript('vllm serve a --seed 1 & vllm serve b --seed 1'), seed],
    ['several-engines', inScript('if x; then vllm serve a; else python -m sglang.launch_server; fi'), seed],
    ['engine-not-found', inScript('/start.sh --seed 1'), seed],
    ['engine-not-found', inScript('exec echo vllm serve m --seed 1'), seed],
    ['engine-not-found', { command: ['python3', '-m', 'sglang.launch_server'] }, seed],
    ['nested-script', inScript('eval "vllm serve m --seed 1"'), seed],
    ['nested-script', inScript("exec bash -c 'vllm serve m --seed 1'"), seed],
    ['entrypoint-unknown', { args: ['--model', 'm'] }, seed],
    ['entrypoint-unknown', { command: ['/start.sh'], args: ['--port=1'] }, seed, { entrypoint: 'engine' }],
    ['arguments-in-image', {}, seed, { entrypoint: 'engine' }],
    ['arguments-in-image', { args: ['--seed', '1'] }, { '--seed': null }],
    ['value-missing', { command: [...VLLM, '--seed', '--port'] }, seed],
    ['value-missing', { command: [...VLLM, '--seed'] }, seed],
    ['several-values', { command: [...VLLM, '--cuda-graph-sizes', '1', '2'] }, { '--cuda-graph-sizes': '1' }],
    ['odd-form', { command: [...VLLM, '--seed 1'] }, seed],
    ['odd-form', inScript('vllm serve m --seed ""'), seed],
    ['odd-form', inScript('vllm serve m --seed 1"2"'), seed],
    ['odd-form', { command: [...VLLM, '--compilation-config.mode', '3'] }, { '--compilation-config': '{}' }],
    ['odd-form', inScript("vllm serve m --model-impl 'x'"), { '--model-impl': "it's" }],
    ['abbreviated', { command: [...VLLM, '--max-model=1'] }, { '--max-model-len': '2' }],
    ['abbreviated', { command: [...VLLM, '-O.mode=3'] }, { '--optimization-level': '0' }],
    ['abbreviated', { command: ['llama-server', '-c8192'] }, { '--ctx-size': '4096' }, { engine: 'llama.cpp' }],
    ['set-in-file', { command: [...VLLM, '--config', '/c/a.yaml', '--seed=1'] }, { '--seed': null }],
    ['set-in-config-map', { command: ['python3', '/w/inference_api.py', '--kaito-config-file=/c/x.yaml'] }, seed],
    ['variable-from-elsewhere', { env: [{ name: 'A', valueFrom: {} }] }, { A: '1' }],
    ['variable-from-elsewhere', { env: [{ name: 'A', value: '$(B)' }] }, { A: null }],
    [
      'variable-from-elsewhere',
      { env: [{ name: 'MAX_TOTAL_TOKENS', valueFrom: {} }] },
      { '--max-total-tokens': '1' },
      { engine: 'tgi' },
    ],
  ])('%s: %j', (reason, container, edits, more) => {
    const outcome = edit(container, edits, more);

    expect(outcome).toMatchObject({ kind: 'refused', reason });
    expect(outcome.kind === 'refused' && outcome.says).toMatch(/[.?]$/);
  });

  it.each<[name: string, container: Container, paste: unknown]>([
    [
      'a patch that overrides a computed value',
      { command: [...VLLM, '--seed', '$(S)'] },
      [...VLLM, '--seed', '$(S)', '--seed=2'],
    ],
    ['a patch that comes behind a variable', { command: [...VLLM, '$(S)'] }, [...VLLM, '$(S)', '--seed=2']],
  ])('with %s', (_name, container, expected) => {
    const outcome = edit(container, seed);
    const paste = outcome.kind === 'refused' ? outcome.paste : null;

    const done = applyPatch(container, paste?.kind === 'patch' ? paste.patch : []);
    expect(done).toMatchObject({ kind: 'applied', value: { command: expected } });
  });

  it('with the words to put in by hand where no patch can be right', () => {
    const outcome = edit(inScript('eval "vllm serve m"'), {
      '--seed': '2',
      '--hf-overrides': '{"a":1}',
      '--enforce-eager': 'true',
    });

    expect(outcome).toMatchObject({
      paste: { kind: 'text', text: `--seed=2 --hf-overrides='{"a":1}' --enforce-eager` },
    });
  });

  it('with the flag that was probably meant, and nothing to paste that ends the engine', () => {
    const outcome = edit({ command: VLLM }, { '--max-model-length': '8192', '--seed': '2' });

    expect(outcome).toMatchObject({
      reason: 'unknown-flag',
      says: expect.stringMatching(/Did you mean --max-model-len\?$/),
      paste: null,
    });
  });

  it('as a whole when one of its parts is', () => {
    const container = { command: [...VLLM, '--seed=1', '--dtype', '$(DTYPE)'] };

    expect(edit(container, { '--seed': '2', '--dtype': 'half' })).toMatchObject({
      kind: 'refused',
      reason: 'computed-value',
    });
  });

  it('with a file that holds the flag, and not where the command line wins over the file', () => {
    const container = { command: [...VLLM, '--config', '/c/a.yaml'] };
    const configMaps = { cm: { 'a.yaml': 'seed: 7\n' } };

    expect(edit(container, { '--seed': null }, { configMaps })).toMatchObject({ reason: 'set-in-file' });
    expect(edit(container, { '--seed': '2' }, { configMaps })).toMatchObject({ changed: [{ from: '7', to: '2' }] });
  });
});
