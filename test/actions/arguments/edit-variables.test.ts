// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell scripts
import { describe, expect, it } from 'vitest';
import { type Container, type Edits, edit, env, inScript, VLLM, withEdit, words } from './edit-helpers.ts';

const run = (command: string): Container => ({ command: words(command) });
const having = (values: Record<string, string>): Container => ({ env: env(values) });

it.each<[engine: string, before: Container, edits: Edits, expected: Container]>([
  [
    'sglang',
    run('python3 -m sglang.launch_server --tp 2'),
    { '--tp-size': '4', '--mem-fraction-static': '0.8' },
    run('python3 -m sglang.launch_server --tp 4 --mem-fraction-static=0.8'),
  ],
  ['sglang', run('sglang serve --disable-radix-cache'), { '--disable-radix-cache': 'false' }, run('sglang serve')],
  [
    'tgi',
    { command: ['text-generation-launcher'], args: words('--max-batch-prefill-tokens 4096') },
    { '--max-batch-prefill-tokens': '2048' },
    { command: ['text-generation-launcher'], args: words('--max-batch-prefill-tokens 2048') },
  ],
  [
    'tgi',
    { args: words('--model-id m'), env: env({ MAX_TOTAL_TOKENS: '4096' }) },
    { '--max-total-tokens': '2048' },
    { args: words('--model-id m'), env: env({ MAX_TOTAL_TOKENS: '2048' }) },
  ],
  [
    'llama.cpp',
    run('/app/llama-server -m x -c 8192'),
    { '--ctx-size': '4096', '--parallel': '1', '-ngl': '20' },
    run('/app/llama-server -m x -c 4096 --parallel 1 --n-gpu-layers 20'),
  ],
  ['llama.cpp', having({ LLAMA_ARG_CTX_SIZE: '0' }), { '-c': '4096' }, having({ LLAMA_ARG_CTX_SIZE: '4096' })],
  [
    'lmdeploy',
    run('lmdeploy serve api_server m --cache-max-entry-count 0.8'),
    { '--cache-max-entry-count': '0.4' },
    run('lmdeploy serve api_server m --cache-max-entry-count 0.4'),
  ],
  [
    'tensorrt-llm',
    run('trtllm-serve m --max_batch_size 8'),
    { '--max_batch_size': '4', '--max-num-tokens': '2048' },
    run('trtllm-serve m --max_batch_size 4 --max_num_tokens=2048'),
  ],
  [
    'tensorrt-llm',
    run('tritonserver --model-repository=/m --pinned-memory-pool-byte-size=1'),
    { '--pinned-memory-pool-byte-size': '2' },
    run('tritonserver --model-repository=/m --pinned-memory-pool-byte-size=2'),
  ],
  [
    'ollama',
    having({ OLLAMA_NUM_PARALLEL: '4' }),
    { OLLAMA_NUM_PARALLEL: '1', OLLAMA_CONTEXT_LENGTH: '4096' },
    having({ OLLAMA_NUM_PARALLEL: '1', OLLAMA_CONTEXT_LENGTH: '4096' }),
  ],
  ['nim', {}, { '--max-model-len': '4096' }, having({ NIM_MAX_MODEL_LEN: '4096' })],
  [
    'nim',
    having({ NIM_PASSTHROUGH_ARGS: '--max-model-lens 1' }),
    { '--max-model-len': '4096' },
    having({ NIM_PASSTHROUGH_ARGS: '--max-model-lens 1', NIM_MAX_MODEL_LEN: '4096' }),
  ],
])('an edit of another engine: %s', (engine, before, edits, expected) => {
  expect(withEdit(before, edits, { engine })).toEqual(expected);
});

describe('an edit of variables', () => {
  const A = { name: 'A', value: '1' };
  const S_AND_MORE = { S: '1', MORE: '--enforce-eager' };
  const SECRET = { name: 'HF_TOKEN', value: 'hf_secret' };

  it.each<[name: string, env: unknown[] | undefined, edits: Edits, expected: unknown[] | undefined]>([
    ['sets one', [SECRET, A], { A: '2' }, [SECRET, { name: 'A', value: '2' }]],
    ['sets the last of two', [A, A], { A: '2' }, [A, { name: 'A', value: '2' }]],
    ['sets an empty one', [{ name: 'A' }], { A: '2' }, [{ name: 'A', value: '2' }]],
    ['adds one', [SECRET], { A: '2' }, [SECRET, { name: 'A', value: '2' }]],
    ['adds two where none are', undefined, { A: '2', B: '3' }, env({ A: '2', B: '3' })],
    ['takes all of one name out', [A, SECRET, A], { A: null }, [SECRET]],
    ['takes the only one out', [A], { A: null }, undefined],
    [
      'does all at once',
      [A, SECRET, { name: 'B', value: '1' }],
      { B: '2', A: null, C: '3' },
      [SECRET, { name: 'B', value: '2' }, { name: 'C', value: '3' }],
    ],
  ])('%s', (_name, env, edits, expected) => {
    const container = env === undefined ? { name: 'c' } : { name: 'c', env };

    expect(withEdit(container as Container, edits).env).toEqual(expected);
  });

  it('names the flag that was asked for, and the variable that says the same', () => {
    const before = { env: env({ MAX_TOTAL_TOKENS: '4' }) };
    const outcome = edit(before, { '--max-total-tokens': '2' }, { engine: 'tgi' });

    expect(outcome).toMatchObject({
      changed: [{ flag: '--max-total-tokens', from: '4', to: '2', where: 'env MAX_TOTAL_TOKENS' }],
    });
  });

  it.each<[words: string, value: string, expected: string]>([
    ['--seed $S', '1', '2'],
    ['--seed=${S}', '1', '2'],
    ['--seed "${S:-7}"', '1', '2'],
    [`--seed '$(S)'`, '1', '2'],
    ['--seed "$S"', 'a b', '2'],
  ])('sets the variable that %s refers to, and leaves the words', (words, value, expected) => {
    const container = { command: ['sh', '-c', `vllm serve m ${words}`], env: [SECRET, { name: 'S', value }] };

    expect(withEdit(container, { '--seed': '2' })).toEqual({
      ...container,
      env: [SECRET, { name: 'S', value: expected }],
    });
    expect(edit(container, { '--seed': '2' })).toMatchObject({
      changed: [{ flag: '--seed', from: value, to: '2', where: 'env S' }],
    });
  });

  it.each([
    '. /etc/engine.env',
    'if [ -f /e ]; then . /e; fi',
    'source /etc/engine.env',
    'set -a && source /etc/engine.env',
    'eval "$(cat /etc/engine.env)"',
    'export $(cat /etc/engine.env)',
    'declare -x "$PAIR"',
    '$PREPARE',
  ])('leaves a reference alone behind %s, which may set its variable anew', (before) => {
    const script = (words: string) => ({ ...inScript(`${before}; vllm serve m ${words}`), env: env(S_AND_MORE) });

    expect(edit(script('--seed $S'), { '--seed': '2' })).toMatchObject({ reason: 'computed-value' });
    expect(edit(script('--seed 1 $MORE'), { '--seed': '2' })).toMatchObject({ reason: 'flag-in-variable' });
    // The kubelet puts its value in before the shell begins.
    expect(withEdit(script('--seed $(S)'), { '--seed': '2' })).toMatchObject({ env: [{ name: 'S', value: '2' }, {}] });
  });

  it('follows a reference behind commands that set what they name', () => {
    const container = {
      command: ['sh', '-c', 'A=$(date); export A B="$(hostname)"; cd /x && exec vllm serve m --seed $S $MORE'],
      env: env(S_AND_MORE),
    };

    expect(withEdit(container, { '--seed': '2' })).toMatchObject({ env: [{ name: 'S', value: '2' }, {}] });
  });

  it('refuses to set one variable to two values', () => {
    const container = { command: [...VLLM, '--seed', '$(S)'], env: [{ name: 'S', value: '1' }] };

    expect(edit(container, { '--seed': '2', S: '3' })).toMatchObject({ reason: 'conflicting-edits' });
  });

  it('never carries the value of another variable in its patch', () => {
    const outcome = edit({ env: [SECRET, A] }, { A: '2', B: '3' });

    expect(outcome.kind).toBe('edited');
    expect(JSON.stringify(outcome)).not.toContain('hf_secret');
  });

  it('changes words and variables in one patch, in which all tests come first', () => {
    const outcome = edit({ command: VLLM, args: ['--seed=1'] }, { '--seed': '2', A: '1' });

    expect(outcome.kind === 'edited' && outcome.patch.map(({ op }) => op)).toEqual(['test', 'test', 'replace', 'add']);
  });
});
