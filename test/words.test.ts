import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { flawsOf } from './words.ts';

const ROOT = join(import.meta.dirname, '..');

// Recorded evidence and cases quote logs; the licences of others are theirs.
const READ =
  /^(?:bin|scripts|bench|deploy|docs|playbooks\/(?:engines|platform|hardware|oom)|config|src)\/|^[A-Z]+\.md$|^\.ci\//;
const TEXT = /\.(?:ts|tsx|mjs|md|ya?ml)$|^\.ci\/run$/;
const QUOTES = /^playbooks\/oom\/incidents\/|\.cases\.yaml$|^playbooks\/schemas\//;

describe('the words that people read', () => {
  it('are those of the field, with file and line', () => {
    const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    const read = files.split('\n').filter((file) => READ.test(file) && TEXT.test(file) && !QUOTES.test(file));
    const flaws = read.flatMap((file) =>
      flawsOf(join(ROOT, file)).map(({ line, found, but }) => `${file}:${line}: "${found}": write "${but}"`),
    );

    expect(read.length).toBeGreaterThan(100);
    expect(flaws).toEqual([]);
  });

  it.each([
    ['a.md', 'It can take it back.', 'take it back'],
    ['a.md', 'The plan shows\nthe way\nback.', 'the way back'],
    ['a.ts', "throw fault('Nothing was written; the cause could not be told.');", 'could not be told'],
    ['a.ts', '// Asked anew at each click.', 'anew'],
    ['a.yaml', 'says: A neighbour holds the card.', 'neighbour'],
    ['a.yaml', 'a: 1 # laid over the shipped one', 'laid over'],
    ['a.yaml', 'says: Halve the tokens of one pass.', 'tokens of one pass'],
    ['a.yaml', 'says: The log tells of a restart.', 'tells of'],
    ['a.yaml', 'says: The cause stands there for want of space.', 'for want of'],
    ['CHANGELOG.md', '- Names what would fight back at the roll-out.', 'fight back'],
  ])('in %s "%s" is a flaw', (path, text, found) => {
    expect(flawsOf(path, text).map((flaw) => flaw.found)).toContain(found);
  });

  it.each([
    ['a.md', 'The branch `gpu-startup/neighbour` and gpu-startup/neighbour are ids.'],
    ['a.yaml', 'pattern: can not allocate'],
    ['a.ts', 'const besideThem = left.beside.width;'],
  ])('in %s "%s" is none', (path, text) => {
    expect(flawsOf(path, text)).toEqual([]);
  });
});
