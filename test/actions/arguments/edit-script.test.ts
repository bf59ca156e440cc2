// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell scripts
import { describe, expect, it } from 'vitest';
import { type Edits, inScript, withEdit } from './edit-helpers.ts';

describe('an edit of a script', () => {
  it.each<[name: string, script: string, expected: string]>([
    ['double quotes stay', 'vllm serve m --seed "1"', 'vllm serve m --seed "2"'],
    ['single quotes stay', "vllm serve m --seed='1' --a", "vllm serve m --seed='2' --a"],
    ['quotes around all of it stay', 'vllm serve m "--seed=1"', 'vllm serve m "--seed=2"'],
    ['a name in pieces', 'vllm serve m --se"ed"=1', 'vllm serve m --se"ed"=2'],
    [
      'continued lines stay',
      'exec vllm serve m \\\n  --seed 1 \\\n  --port 1\n',
      'exec vllm serve m \\\n  --seed 2 \\\n  --port 1\n',
    ],
    ['a value on the next line', 'vllm serve m --seed \\\n 1', 'vllm serve m --seed \\\n 2'],
    ['appended before a redirect', 'vllm serve m > /x 2>&1', 'vllm serve m --seed=2 > /x 2>&1'],
    ['appended before a redirect in the middle', 'vllm serve m > /x --port 1', 'vllm serve m --seed=2 > /x --port 1'],
    ['appended before a pipe', 'vllm serve m 2>&1 | tee /x', 'vllm serve m --seed=2 2>&1 | tee /x'],
    ['before the next command', 'vllm serve m && echo; wait', 'vllm serve m --seed=2 && echo; wait'],
    ['appended before a remark', 'vllm serve m # --seed 1', 'vllm serve m --seed=2 # --seed 1'],
    ['appended before two dashes', 'vllm serve m -- x', 'vllm serve m --seed=2 -- x'],
    [
      'appended behind a continued line',
      'vllm serve m \\\n  --port 1 \\\n\n',
      'vllm serve m \\\n  --port 1 --seed=2 \\\n\n',
    ],
    [
      'only in the engine’s command',
      'run --seed 1; A=1 vllm serve m --seed 1; run --seed 1',
      'run --seed 1; A=1 vllm serve m --seed 2; run --seed 1',
    ],
    ['in a condition', 'if true; then vllm serve m --seed 1; fi', 'if true; then vllm serve m --seed 2; fi'],
    ['in a loop', 'until vllm serve m --seed 1; do sleep 1; done', 'until vllm serve m --seed 2; do sleep 1; done'],
    ['what is only said', 'echo vllm serve x; vllm serve m --seed 1', 'echo vllm serve x; vllm serve m --seed 2'],
    [
      'behind a wrapper with options',
      'numactl -N 0 -- python3 -u -m vllm.entrypoints.openai.api_server --seed 1',
      'numactl -N 0 -- python3 -u -m vllm.entrypoints.openai.api_server --seed 2',
    ],
    [
      'a computed program',
      '"$PYTHON" -m vllm.entrypoints.openai.api_server --seed 1',
      '"$PYTHON" -m vllm.entrypoints.openai.api_server --seed 2',
    ],
    ['a computed model', 'vllm serve $MODEL --seed 1', 'vllm serve $MODEL --seed 2'],
    [
      'a computed value of another flag',
      'vllm serve m --seed 1 --port "$PORT"',
      'vllm serve m --seed 2 --port "$PORT"',
    ],
    ['a variable before it', 'vllm serve m $EXTRA --seed 1', 'vllm serve m $EXTRA --seed 2'],
  ])('%s', (_name, script, expected) => {
    expect(withEdit(inScript(script), { '--seed': '2' }).command?.[2]).toBe(expected);
  });

  it.each<[name: string, script: string, edits: Edits, expected: string]>([
    [
      'JSON in single quotes',
      `vllm serve m --hf-overrides '{"a":1}'`,
      { '--hf-overrides': '{"a": 2}' },
      `vllm serve m --hf-overrides '{"a": 2}'`,
    ],
    [
      'JSON in double quotes',
      'vllm serve m --hf-overrides "{\\"a\\":1}"',
      { '--hf-overrides': '{"a":2}' },
      'vllm serve m --hf-overrides "{\\"a\\":2}"',
    ],
    [
      'a plain value that needs quotes',
      'vllm serve m --hf-overrides x',
      { '--hf-overrides': '{"a":2}' },
      `vllm serve m --hf-overrides '{"a":2}'`,
    ],
    [
      'taken out with its line',
      'vllm serve m \\\n  --seed 1 \\\n  --port 1',
      { '--seed': null },
      'vllm serve m \\\n  --port 1',
    ],
    [
      'taken out at the end',
      'vllm serve m --port 1 \\\n  --seed=1 | tee x',
      { '--seed': null },
      'vllm serve m --port 1 | tee x',
    ],
    [
      'a switch',
      'vllm serve m --enforce-eager \\\n  --enable-prefix-caching',
      { '--enable-prefix-caching': 'false', '--enforce-eager': 'false' },
      'vllm serve m \\\n  --no-enable-prefix-caching',
    ],
  ])('%s', (_name, script, edits, expected) => {
    expect(withEdit(inScript(script), edits).command?.[2]).toBe(expected);
  });

  it.each([
    [['/bin/bash', '-lc']],
    [['bash', '-euo', 'pipefail', '-c']],
    [['bash', '-c', '--']],
    [['/usr/bin/env', 'bash', '-c']],
    [['tini', '-g', '--', 'sh', '-ec']],
  ])('is found behind %j', (command) => {
    expect(withEdit({ command, args: ['vllm serve m --seed 1', 'name'] }, { '--seed': '2' }).args).toEqual([
      'vllm serve m --seed 2',
      'name',
    ]);
  });

  it('looks into a variable of the container that is part of the arguments', () => {
    const container = { ...inScript('vllm serve m --seed 1 $EXTRA'), env: [{ name: 'EXTRA', value: '--port 1' }] };

    expect(withEdit(container, { '--seed': '2' }).command?.[2]).toBe('vllm serve m --seed 2 $EXTRA');
  });
});
