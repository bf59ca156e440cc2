import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { flawsOf } from './words.ts';

const ROOT = join(import.meta.dirname, '..');

// Recorded evidence and cases quote logs; the licences of others are theirs.
const READ = /^(?:src|bin|scripts|bench|deploy|docs|playbooks|config)\/|^[A-Z]+\.md$|^\.ci\//;
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

    expect(read.length).toBeGreaterThan(500);
    expect(flaws).toEqual([]);
  });
});
