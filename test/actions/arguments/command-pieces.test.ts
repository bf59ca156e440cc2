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
const APPENDED: WordEdits = { changes: [], appended: ['--a'] };
const script = (text: string) => ({ command: ['sh', '-c', text] });
const list = (text: string) => ({ command: text.split(' ') });

it.each<[answer: boolean, name: string, before: unknown, after: unknown, edits?: WordEdits]>([
  [true, 'the word that was meant', script('vllm serve m --seed 1 | a'), script('vllm serve m --seed 2 | a')],
  [true, 'other quotes around what was meant', script('vllm serve m --seed 1'), script('vllm serve m --seed "2"')],
  [false, 'another value', script('vllm serve m --seed 1'), script('vllm serve m --seed 3')],
  [false, 'other quotes around another word', script('vllm serve m --seed 1 a'), script("vllm serve m --seed 2 'a'")],
  [false, 'a word of another command', script('a; vllm serve m --seed 1'), script('b; vllm serve m --seed 2')],
  [false, 'another operator', script('vllm serve m --seed 1 | a'), script('vllm serve m --seed 2 & a')],
  [false, 'one word more', script('vllm serve m --seed 1'), script('vllm serve m --seed 2 3')],
  [false, 'a computed value', script('vllm serve m --seed 1'), script('vllm serve m --seed $X2')],
  [
    false,
    'an argument behind the script',
    { ...script('vllm serve m --seed 1'), args: ['a'] },
    { ...script('vllm serve m --seed 2'), args: ['b'] },
  ],
  [true, 'an item of a list', list('vllm serve m --seed 1'), list('vllm serve m --seed 2')],
  [false, 'two items of a list', list('vllm serve m --seed 1'), list('vllm serve n --seed 2')],
  [true, 'an item at its place', list('vllm serve m -- x'), list('vllm serve m --a -- x'), APPENDED],
  [false, 'an item at another place', list('vllm serve m -- x'), list('vllm serve m -- --a x'), APPENDED],
])('the result of an edit, read again, is as intended: %s, %s', (answer, _name, before, after, edits = SEED) => {
  expect(isAsIntended(read(before), edits, read(after))).toBe(answer);
});
