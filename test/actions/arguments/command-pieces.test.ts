import { expect, it } from 'vitest';
import { isAsIntended } from '../../../src/actions/arguments/command-pieces.ts';
import { type Located, locate } from '../../../src/actions/arguments/locate-command.ts';
import { readContainer } from '../../../src/actions/arguments/read-container.ts';
import type { WordEdits } from '../../../src/actions/arguments/splice-words.ts';

function read(json: unknown): Parameters<typeof isAsIntended>[0] {
  const container = readContainer(json);
  const located = container === undefined ? undefined : locate(container, { engine: 'vllm' });
  if (container === undefined || located?.kind !== 'located') throw new Error('not located');
  return { container, located: located satisfies Located };
}

const SEED: WordEdits = { changes: [{ kind: 'replace', at: 2, from: 0, to: 1, text: '2' }], appended: [] };
const script = (text: string) => ({ command: ['sh', '-c', text] });

it.each<[answer: boolean, name: string, before: unknown, edits: WordEdits, after: unknown]>([
  [true, 'the word that was meant', script('vllm serve m --seed 1 | a'), SEED, script('vllm serve m --seed 2 | a')],
  [
    true,
    'other quotes around what was meant',
    script('vllm serve m --seed 1'),
    SEED,
    script('vllm serve m --seed "2"'),
  ],
  [false, 'another value', script('vllm serve m --seed 1'), SEED, script('vllm serve m --seed 3')],
  [
    false,
    'other quotes around another word',
    script('vllm serve m --seed 1 a'),
    SEED,
    script("vllm serve m --seed 2 'a'"),
  ],
  [false, 'a word of another command', script('a; vllm serve m --seed 1'), SEED, script('b; vllm serve m --seed 2')],
  [false, 'another operator', script('vllm serve m --seed 1 | a'), SEED, script('vllm serve m --seed 2 & a')],
  [false, 'one word more', script('vllm serve m --seed 1'), SEED, script('vllm serve m --seed 2 3')],
  [false, 'a computed value', script('vllm serve m --seed 1'), SEED, script('vllm serve m --seed $X2')],
  [
    false,
    'an argument behind the script',
    { ...script('vllm serve m --seed 1'), args: ['a'] },
    SEED,
    { ...script('vllm serve m --seed 2'), args: ['b'] },
  ],
  [
    true,
    'an item of a list',
    { command: ['vllm', 'serve', 'm', '--seed', '1'] },
    SEED,
    { command: ['vllm', 'serve', 'm', '--seed', '2'] },
  ],
  [
    false,
    'two items of a list',
    { command: ['vllm', 'serve', 'm', '--seed', '1'] },
    SEED,
    { command: ['vllm', 'serve', 'n', '--seed', '2'] },
  ],
  [
    true,
    'an item at its place',
    { command: ['vllm', 'serve', 'm', '--', 'x'] },
    { changes: [], appended: ['--a'] },
    { command: ['vllm', 'serve', 'm', '--a', '--', 'x'] },
  ],
  [
    false,
    'an item at another place',
    { command: ['vllm', 'serve', 'm', '--', 'x'] },
    { changes: [], appended: ['--a'] },
    { command: ['vllm', 'serve', 'm', '--', '--a', 'x'] },
  ],
])('the result of an edit, read again, is as intended: %s, %s', (answer, _name, before, edits, after) => {
  expect(isAsIntended(read(before), edits, read(after))).toBe(answer);
});
