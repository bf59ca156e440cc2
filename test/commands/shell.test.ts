import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { pagerFor } from '../../src/commands/pager.ts';
import { runOom } from '../fakes/terminal.ts';

const LONG = 'line\n'.repeat(50);

it.each([
  ['a short text', 'a\nb\n', {}, true, undefined],
  ['a long text', LONG, {}, true, 'less'],
  ['a long text in a pipe', LONG, { OOM_PAGER: 'more' }, false, undefined],
  ['$PAGER', LONG, { PAGER: 'more' }, true, 'more'],
  ['$OOM_PAGER before $PAGER', LONG, { OOM_PAGER: 'bat -p', PAGER: 'more' }, true, 'bat -p'],
  ['an empty $OOM_PAGER', LONG, { OOM_PAGER: '', PAGER: 'more' }, true, undefined],
  ['cat', LONG, { PAGER: 'cat' }, true, undefined],
])('the pager for %s', (_name, text, env, isTerminal, command) => {
  expect(pagerFor(text, { env, isTerminal, rows: 24 })).toBe(command);
});

it.each([[[]], [['playbook']], [['config']]])('oom alone prints help and ends well: %j', async (words) => {
  const { code, out, err } = await runOom(words);

  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^Usage: oom .*^ {2}(?:serve|test|check) {2,}\S/ms);
  const rows = out.split('\n').filter((line) => /^ {2}[a-z][a-z-]* {2,}\S/.test(line));
  expect(rows.filter((row) => !/^ {2}[a-z-]+ {2,}[A-Z].{1,69}$/.test(row))).toEqual([]);
});

describe('completion', () => {
  const complete = (script: string, ...words: string[]) =>
    execFileSync(
      'bash',
      ['-c', `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _oom; echo "\${COMPREPLY[*]}"`, '-', ...words],
      {
        encoding: 'utf8',
      },
    ).trim();

  it.each([
    [['oom', 'tri'], 'triage'],
    [['oom', 'playbook', 'l'], 'lint'],
    [['oom', 'diagnose', '-o', ''], 'text json yaml'],
    [['oom', 'diagnose', 'x', '--out'], '--output'],
    [['oom', 'explain', 'quanti'], 'quantization'],
    [['oom', 'explain', 'sgl'], 'sglang'],
    [['oom', 'explain', '--max-num-s'], '--max-num-seqs --max-num-scheduled-tokens'],
    [['oom', 'completion', ''], 'bash zsh fish --help'],
    [['oom', 'diagnose', 'folder'], ''],
  ])('in bash of %j', async (words, expected) => {
    expect(complete((await runOom(['completion', 'bash'])).out, ...words)).toBe(expected);
  });

  it.each(['zsh', 'fish'])('for %s has commands and topics', async (shell) => {
    const { code, out } = await runOom(['completion', shell]);

    expect(code).toBe(0);
    expect(out).toMatch(/'explain'.*\n?.*quantization/);
  });

  it('of an unknown shell is refused with the known ones', async () => {
    expect(await runOom(['completion', 'tcsh'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('bash, zsh, fish'),
    });
  });
});
