import { describe, expect, it } from 'vitest';
import { type Container, type Edits, edit, type More, VLLM, type Words, withEdit, words } from './edit-helpers.ts';

const CACHING = '--enable-prefix-caching';
const CHUNKED = '--enable-chunked-prefill';

describe('an edit of a list of words', () => {
  it.each<[name: string, args: Words, edits: Edits, expected: Words]>([
    ['a value behind a blank', '--max-model-len 8192', { '--max-model-len': '4096' }, '--max-model-len 4096'],
    ['a value behind =', '--max-model-len=8192', { '--max-model-len': '4096' }, '--max-model-len=4096'],
    ['underscores stay', '--max_model_len 8k', { '--max-model-len': '4k' }, '--max_model_len 4k'],
    ['underscores are asked for', '--max-model-len=1', { '--max_model_len': '2' }, '--max-model-len=2'],
    ['a short form', '-tp 4', { '--tensor-parallel-size': '2' }, '-tp 2'],
    ['a short form behind =', '-tp=4', { '--tensor-parallel-size': '2' }, '-tp=2'],
    ['a short form with its value glued on', '-qawq -O3', { '-q': 'fp8', '-O': '0' }, '-qfp8 -O0'],
    ['a short form is asked for', '--quantization awq', { '-q': 'fp8' }, '--quantization fp8'],
    ['the last of two', '--block-size=8 --block-size 16', { '--block-size': '32' }, '--block-size=8 --block-size 32'],
    ['a number below zero', '--max-model-len -1', { '--max-model-len': '4096' }, '--max-model-len 4096'],
    ['a flag that is not there', '--port 1', { '--max-num-seqs': '64' }, '--port 1 --max-num-seqs=64'],
    ['before --', '--port=1 -- x', { '--max-num-seqs': '64' }, '--port=1 --max-num-seqs=64 -- x'],
    [
      'what stands behind two dashes is no flag',
      '--port=1 -- --max-num-seqs=1',
      { '--max-num-seqs': '64' },
      '--port=1 --max-num-seqs=64 -- --max-num-seqs=1',
    ],
    ['a JSON-like value', ['--hf-overrides={"a": 1}'], { '--hf-overrides': '{"a": 2}' }, ['--hf-overrides={"a": 2}']],
    ['an unknown flag that is there', '--plugin-x 1', { '--plugin-x': '2' }, '--plugin-x 2'],
    [
      'several flags at once',
      '--max-num-seqs=8 -q awq',
      { '-q': 'fp8', '--max-num-seqs': '4', '--dtype': 'half' },
      '--max-num-seqs=4 -q fp8 --dtype=half',
    ],
    ['a removal takes all out', '--seed=1 --port 1 --seed 2', { '--seed': null }, '--port 1'],
    ['a removal and a new one', '--a --seed 2', { '--seed': null, '--dtype': 'half' }, '--a --dtype=half'],
    ['a switch is turned on', '--port=1', { '--enforce-eager': 'true' }, '--port=1 --enforce-eager'],
    ['a switch is turned off', '--enforce-eager --port=1', { '--enforce-eager': 'false' }, '--port=1'],
    ['a switch with a no- form off', CACHING, { [CACHING]: 'false' }, '--no-enable-prefix-caching'],
    ['and keeps its spelling', '--enable_prefix_caching', { [CACHING]: 'false' }, '--no-enable_prefix_caching'],
    ['and on', '--no-enable-prefix-caching', { [CACHING]: 'true' }, CACHING],
    ['a default that is on is turned off', '--port=1', { [CACHING]: 'false' }, '--port=1 --no-enable-prefix-caching'],
    ['by no- name', '--port=1', { '--no-enable-prefix-caching': 'true' }, '--port=1 --no-enable-prefix-caching'],
    [
      'a removal by its no- name',
      '--port=1 --no-enable-prefix-caching',
      { '--no-enable-prefix-caching': null },
      '--port=1',
    ],
    ['written out behind =', '--enable-chunked-prefill=False', { [CHUNKED]: 'true' }, '--enable-chunked-prefill=True'],
    [
      'written out behind a blank',
      '--enable-chunked-prefill true',
      { [CHUNKED]: 'false' },
      '--enable-chunked-prefill false',
    ],
    ['one of a list', '--cuda-graph-sizes 8 --port=1', { '--cuda-graph-sizes': '4' }, '--cuda-graph-sizes 4 --port=1'],
  ])('%s', (_name, args, edits, expected) => {
    expect(withEdit({ command: VLLM, args: words(args) }, edits).args).toEqual(words(expected));
  });

  it.each<[name: string, before: Container, expected: Container]>([
    ['flags in the command', { command: [...VLLM, '--seed=1'] }, { command: [...VLLM, '--seed=2'] }],
    [
      'behind a wrapper',
      { command: ['tini', '--', ...VLLM], args: ['--seed', '1'] },
      { command: ['tini', '--', ...VLLM], args: ['--seed', '2'] },
    ],
    [
      'the server as a module',
      { command: ['python3', '-m', 'vllm.entrypoints.openai.api_server'], args: ['--seed=1'] },
      { command: ['python3', '-m', 'vllm.entrypoints.openai.api_server'], args: ['--seed=2'] },
    ],
    ['the image brings the command', { args: ['--model=m', '--seed=1'] }, { args: ['--model=m', '--seed=2'] }],
    [
      'a script file hands them on',
      { command: ['/start.sh'], args: ['--seed=1'] },
      { command: ['/start.sh'], args: ['--seed=2'] },
    ],
    [
      'words behind "$@"',
      { command: ['bash', '-c', 'ulimit -n 9; exec "$@"', '--'], args: [...VLLM, '--seed=1'] },
      { command: ['bash', '-c', 'ulimit -n 9; exec "$@"', '--'], args: [...VLLM, '--seed=2'] },
    ],
  ])('finds its place: %s', (_name, before, expected) => {
    expect(withEdit(before, { '--seed': '2' })).toEqual(expected);
  });

  it.each<[name: string, before: Container, expected: Container, more?: More]>([
    ['into the command where there are no args', { command: VLLM }, { command: [...VLLM, '--seed=2'] }],
    [
      'into args of the engine’s own image',
      { args: ['--model=m'] },
      { args: ['--model=m', '--seed=2'] },
      { entrypoint: 'engine' },
    ],
    ['into new args where an operator joins them', {}, { args: ['--seed=2'] }, { mayAddArgs: true }],
    [
      'behind "$@"',
      { command: ['sh', '-c', 'exec vllm serve m "$@"', '--'], args: ['--port=1'] },
      { command: ['sh', '-c', 'exec vllm serve m "$@"', '--'], args: ['--port=1', '--seed=2'] },
    ],
    [
      'into the variable of arguments',
      { env: [{ name: 'VLLM_ADDITIONAL_ARGS', value: '--port 1' }] },
      { env: [{ name: 'VLLM_ADDITIONAL_ARGS', value: '--port 1 --seed=2' }] },
    ],
  ])('appends %s', (_name, before, expected, more) => {
    expect(withEdit(before, { '--seed': '2' }, more)).toEqual(expected);
  });

  it('puts the pointer of the container before every path, and tests the whole old list first', () => {
    const outcome = edit(
      { command: VLLM, args: ['--seed=1'] },
      { '--seed': '2' },
      { at: '/spec/template/spec/containers/0' },
    );

    expect(outcome).toEqual({
      kind: 'edited',
      patch: [
        { op: 'test', path: '/spec/template/spec/containers/0/args', value: ['--seed=1'] },
        { op: 'replace', path: '/spec/template/spec/containers/0/args', value: ['--seed=2'] },
      ],
      inverse: [
        { op: 'test', path: '/spec/template/spec/containers/0/args', value: ['--seed=2'] },
        { op: 'replace', path: '/spec/template/spec/containers/0/args', value: ['--seed=1'] },
      ],
      changed: [{ flag: '--seed', from: '1', to: '2', where: 'args' }],
    });
  });
});
