import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SIGNATURES } from './playbooks/built-in.ts';

const SRC = join(import.meta.dirname, '..', 'src');

const IDS = new Set(SIGNATURES.map(({ id }) => id));
// `vllm.cfg.` of `vllm.cfg.version`: what a pattern for several ids begins with.
const BEGINNINGS = new Set([...IDS].flatMap((id) => /^[^.]+\.[^.]+\./.exec(id)?.[0] ?? []));
const COMMENT = /\/\*[\s\S]*?\*\/|(?<!['"`:\w])\/\/.*/g;
const WORD = /(?<=['"`])[a-z0-9.-]+(?=['"`])|[a-z0-9-]+\.[a-z0-9-]+\./g;

/** Places in which code names a signature. */
function namesIn(text: string): readonly string[] {
  const code = text.replace(COMMENT, (comment) => comment.replaceAll(/[^\n]/g, ' '));
  return code.split('\n').flatMap((line, i) => {
    const words = line.replaceAll('\\.', '.').match(WORD) ?? [];
    return words.filter((word) => IDS.has(word) || BEGINNINGS.has(word)).map((word) => `${i + 1} names ${word}`);
  });
}

it('names no signature in code: roles and captures tell what a line is', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    // The stand-ins print lines, and may name which.
    .filter((name) => !name.startsWith('standins/'));

  const named = files.flatMap((name) =>
    namesIn(readFileSync(join(SRC, name), 'utf8')).map((place) => `src/${name}:${place}`),
  );

  expect(named).toEqual([]);
});

it.each([
  ['an id', "const a = 1;\nconst ID = 'vllm.run.dump';", ['2 names vllm.run.dump']],
  ['a pattern of ids', String.raw`const DEATHS = /^vllm\.die\./;`, ['1 names vllm.die.']],
  ['a comment', '// vllm.run.dump', []],
])('sees %s', (_, text, named) => {
  expect(namesIn(text)).toEqual(named);
});
