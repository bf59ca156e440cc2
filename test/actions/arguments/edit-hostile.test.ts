import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { editArguments } from '../../../src/actions/arguments/edit-arguments.ts';
import { applyPatch, valueAt } from '../../../src/model/json-patch.ts';

let folder = '';
// A `vllm` that only says with which words it was called; `ran` leaves a file behind where a value became code.
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'oom-shell-'));
  for (const [name, body] of [
    ['vllm', 'printf "%s\\0" "$@"'],
    ['ran', `: > "${join(folder, 'RAN')}"`],
  ] as const) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
    chmodSync(join(folder, name), 0o755);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Script = { readonly script: string; readonly positionals: readonly string[] };
type Ran = { readonly words: readonly string[]; readonly status: string; readonly hasRun: boolean };

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

// Each by a `sh -c` of its own, as a kubelet starts it; all of them from one shell, as a process of Node costs ten of these.
function runAll(scripts: readonly Script[]): Ran[] {
  const lines = scripts.map(({ script, positionals }) => {
    const call = ['sh', '-c', script, ...positionals].map(quote).join(' ');
    return `${call} </dev/null\nprintf '\\001%s\\001' "$?"\nif [ -e RAN ]; then printf RAN; rm RAN; fi\nprintf '\\001'\n`;
  });
  const env = { PATH: `${folder}:/usr/bin:/bin`, LEN: '32768', MODEL: 'm' };
  const options = { env, timeout: 30_000, encoding: 'utf8', cwd: folder, input: lines.join('') } as const;
  const parts = execFileSync('sh', options).split('\u0001');
  return scripts.map((_, i) => {
    const [said = '', status = '', ran = ''] = parts.slice(3 * i);
    return { words: said.split('\0').slice(0, -1), status, hasRun: ran !== '' };
  });
}

function edit(script: string, to: string, positionals: readonly string[] = []) {
  const container = { name: 'vllm', command: ['sh', '-c', script, ...positionals] };
  const outcome = editArguments({
    engine: 'vllm',
    version: '0.11.0',
    container,
    at: '',
    edits: [{ flag: '--max-model-len', to }],
  });
  if (outcome.kind !== 'edited') return outcome;
  const done = applyPatch(container, outcome.patch);
  if (done.kind === 'failed') throw new Error(done.why);
  const command = valueAt(done.value, '/command') as string[];
  return { kind: 'edited' as const, script: command[2] ?? '', positionals: command.slice(3) };
}

type Case = readonly [name: string, script: string, ...positionals: readonly string[]];

// The flag stands in the script, as a word of its own: it has to be edited.
const PLAIN: readonly Case[] = [
  ['a comment that names the flag', 'vllm serve m --max-model-len 32768 # --max-model-len 1'],
  ['a comment line before', '# vllm serve --max-model-len 1; ran\nvllm serve m --max-model-len 32768'],
  ['a command before and behind', 'true && vllm serve m --max-model-len 32768; true'],
  ['a pipe', 'vllm serve m --max-model-len 32768 | cat'],
  ['a background process', 'true & vllm serve m --max-model-len 32768 & wait'],
  ['a substitution beside it', 'vllm serve "$(echo m)" --max-model-len 32768 --seed `echo 1`'],
  ['a variable beside it', `vllm serve $MODEL --max-model-len 32768 --seed "\${SEED:-1}"`],
  ['arithmetic beside it', 'vllm serve m --seed $((1 + 2)) --max-model-len=32768'],
  ['exec', 'exec vllm serve m --max-model-len 32768'],
  ['positionals', 'exec vllm serve m --max-model-len 32768 "$@"', 'sh', '--seed', '1'],
  ['the flag in the positionals', 'exec vllm serve m "$@"', 'sh', '--max-model-len', '32768'],
  ['quotes in quotes', `vllm serve "it's" --max-model-len "32768" --x 'say "hi"'`],
  ['a value in single quotes', "vllm serve m --max-model-len '32768'"],
  ['flag and value in one pair of quotes', 'vllm serve m "--max-model-len=32768"'],
  ['an escaped character', 'vllm serve m --max-model-len \\32768'],
  ['continued lines', 'vllm serve m \\\n  --max-model-len \\\n  32768 \\\n  --seed 1'],
  ['a redirect behind', 'vllm serve m --max-model-len 32768 2>/dev/null'],
  ['a condition', 'if true; then vllm serve m --max-model-len 32768; fi'],
  ['a group', '{ vllm serve m --max-model-len 32768; }'],
  ['a subshell', '(vllm serve m --max-model-len 32768)'],
  ['an assignment before', 'X=";ran" vllm serve m --max-model-len 32768'],
  [
    'a string that looks like the command',
    "echo 'vllm serve --max-model-len 1; ran' >/dev/null; vllm serve m --max-model-len 32768",
  ],
];
// Nobody can be sure here: a reason, and nothing is changed.
const UNSURE: readonly Case[] = [
  ['a value glued of quotes', `vllm serve m --max-model-len=3"27"'68'`],
  ['a here-document', 'cat <<EOF >/dev/null\n--max-model-len 1\nEOF\nvllm serve m --max-model-len 32768'],
  ['a value that is computed', 'vllm serve m --max-model-len $LEN'],
  ['a value out of a command', 'vllm serve m --max-model-len "$(echo 32768)"'],
  ['a value out of backticks', 'vllm serve m --max-model-len `echo 32768`'],
  ['a flag that is computed', 'F=--max-model-len; vllm serve m $F 32768'],
  ['eval', 'eval "vllm serve m --max-model-len 32768"'],
  ['a script in a script', `sh -c 'vllm serve m --max-model-len 32768'`],
  ['two engines', 'vllm serve a --max-model-len 1; vllm serve m --max-model-len 32768'],
  ['quotes that do not end', 'vllm serve m --max-model-len "32768'],
];
// What somebody may type into the form.
const VALUES = [
  '8192',
  '8192; ran',
  '8192 && ran',
  "8192' ran '",
  '8192" ran "',
  '8192 | ran',
  '8192 & ran',
  '(ran)',
  '8192 > RAN',
  '8192 #',
  '\\',
  'a b',
  '*',
  '~',
  '{1,2}',
  '!!',
  "'",
  '"',
  '8192\\',
  '[a-z]*',
];
const CODE = ['$(ran)', '`ran`', '$LEN', `\${LEN}`, '8192\nran', '8192\0', '\u001b[2J', '', '--other', '-x'];

describe('a script', () => {
  it.each(PLAIN)(
    'with %s: whatever is typed becomes one word, and no other word differs',
    (_, script, ...positionals) => {
      const edits = VALUES.flatMap((value) => {
        const edited = edit(script, value, positionals);
        // Single quotes hold no single quote: then it is a reason and a patch.
        if (edited.kind !== 'edited' && value.includes("'")) return [];
        if (edited.kind !== 'edited') throw new Error(`${value}: ${edited.reason}`);
        return [{ ...edited, value }];
      });

      const [before, ...rest] = runAll([{ script, positionals }, ...edits]);
      expect(before).toMatchObject({ status: '0', words: expect.arrayContaining([expect.stringContaining('32768')]) });
      for (const [i, { value }] of edits.entries()) {
        const words = before?.words.map((word) => word.replace('32768', () => value));
        expect(rest[i], value).toEqual({ words, status: '0', hasRun: false });
      }
    },
  );

  it.each(PLAIN)('with %s: what a shell or the kubelet would expand is refused', (_, script, ...positionals) => {
    for (const value of CODE)
      expect(edit(script, value, positionals)).toMatchObject({ kind: 'refused', reason: 'unfit-value' });
  });

  it.each(UNSURE)('with %s is refused with a reason, and what may be pasted runs nothing', (_, script) => {
    const pasted = ['8192', '8192; ran', "8192' ran '"].flatMap((value) => {
      const outcome = edit(script, value);

      expect(outcome).toMatchObject({ kind: 'refused', reason: expect.any(String), says: expect.any(String) });
      const paste = outcome.kind === 'edited' ? null : outcome.paste;
      if (paste?.kind !== 'patch') return [];
      const done = applyPatch({ name: 'vllm', command: ['sh', '-c', script] }, paste.patch);
      if (done.kind === 'failed') throw new Error(done.why);
      return [{ value, script: (valueAt(done.value, '/command') as string[])[2] ?? '', positionals: [] }];
    });

    for (const [i, { words, status, hasRun }] of runAll(pasted).entries()) {
      expect(words.at(-1)).toContain(pasted[i]?.value);
      expect({ status, hasRun }).toEqual({ status: '0', hasRun: false });
    }
  });
});
