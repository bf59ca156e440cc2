import { describe, expect, it } from 'vitest';
import { readCases } from '../../src/playbook/cases-format.ts';
import { compilePlaybook } from '../../src/playbook/compile.ts';
import { lintCases, lintFiles } from '../../src/playbook/lint-files.ts';
import { lintPlaybook } from '../../src/playbook/lint-playbook.ts';
import { lintSignatures } from '../../src/playbook/lint-signatures.ts';
import { parseSignatures } from '../../src/playbook/signatures.ts';
import { CATALOGUES, smallText } from './builders.ts';

describe('the rules for a playbook', () => {
  const lint = (from: string, to: string) => {
    const compiled = compilePlaybook([{ path: 'p.yaml', text: smallText([from, to]) }], CATALOGUES);
    if (compiled.kind === 'bad') throw new Error(compiled.problems.map(({ message }) => message).join());
    return lintPlaybook(compiled.linted).map(({ message }) => message);
  };

  it.each([
    [
      'a finding that offers one kind',
      '    without: { lasting: the test needs none }\n',
      '',
      /^no `lasting` remedy is offered/,
    ],
    ['plane unknown without what would tell', '    next: [Get the log of the container.]\n', '', /one `next`/],
    ['plane unknown with an offer', 'says: No', 'remedies: [raise-limit]\n    says: No', /must not offer/],
    ['slow as a stop-bleed', 'Raise the limit by half', 'Measure the use over a day', /^"Measure the use" is no/],
    [
      'a limit that may not fit',
      'unless: { fact: ram.limit-raised-fits, is: false }, ',
      '',
      /^raise-ram needs `unless/,
    ],
    ['a flag of one engine', 'with short contexts', 'with --max-model-len', /^--max-model-len is a flag of one engine/],
    [
      'a lower fraction where the cache lacks room',
      'flag: --max-model-len, was: engine.max-model-len, to: "8192"',
      'flag: --gpu-memory-utilization, was: engine.utilization, to: "0.8"',
      undefined,
    ],
  ])('%s', (_, from, to, said) => {
    expect(lint(from, to)).toEqual(said === undefined ? [] : [expect.stringMatching(said)]);
  });

  it('keep the fraction where a start was refused for want of KV room', () => {
    const text = smallText(
      [
        'cause: gpu.burst.headroom\n    headline: GPU memory is used',
        'cause: gpu.startup.kv-room\n    headline: GPU memory is used',
      ],
      ['remedies: [join-fragments]', 'remedies: [join-fragments, short-contexts]'],
      ['flag: --max-model-len, was: engine.max-model-len', 'flag: --gpu-memory-utilization, was: engine.utilization'],
    );
    const compiled = compilePlaybook([{ path: 'p.yaml', text }], CATALOGUES);

    expect(compiled.kind === 'sound' && lintPlaybook(compiled.linted).map(({ message }) => message)).toEqual([
      'a lower memory fraction makes the KV cache even smaller',
    ]);
  });
});

const SOUND = `- id: a.line
  engine: test
  versions: all
  where: log
  plane: none
  phase: n/a
  causes: []
  weight: strong
  literals: ['pool is empty']
  pattern: 'pool is empty of (?<want>\\d{1,9})'
  captures: { want: bytes }
  means: It says so.
  must: ['the pool is empty of 8']
  source: test
`;

it.each([
  ['nothing', '', '', []],
  ['a capture of no meaning', '(?<want>', '(?<wantd>', [/^no capture called wantd/, /no group called want/]],
  ['a figure without one', '  literals', '  figures: [{ is: kvBytes, capture: x }]\n  literals', [/no group called x/]],
  ['a line that is not told', '  means: It says so.\n', '', [/^`means` is missing/]],
  ['half a sentence', 'It says so.', 'so it says', [/whole sentences/]],
  ['a meaning not shown', 'plane: none\n  phase: n/a', 'plane: gpu\n  phase: any', [/shown only with plane none/]],
])('the rules for signatures: %s', (_, from, to, said) => {
  const { entries } = parseSignatures([{ path: 'p.yaml', text: SOUND.replace(from, to) }]);

  expect(entries).toHaveLength(1);
  expect(lintSignatures(entries).map(({ message }) => message)).toEqual(said.map((one) => expect.stringMatching(one)));
});

describe('the rules for files', () => {
  const aFile = (path: string, lines = 1) => ({ root: 'p', path, text: 'a\n'.repeat(lines) });

  it.each([
    ['oom/tree/a.yaml', 400, []],
    ['oom/tree/a.yaml', 401, ['p/oom/tree/a.yaml:401 401 lines: split the file, the limit is 400']],
    ['oom/cases/a.yaml', 1, ['p/oom/cases/a.yaml:1 files of this name are not read: see playbooks/README.md']],
    ['kustomization.yaml', 1, []],
  ])('%s of %i lines', (path, lines, said) => {
    expect(lintFiles([aFile(path, lines)]).map((p) => `${p.file}:${p.line} ${p.message}`)).toEqual(said);
  });

  it('ask a case that varies an incident for its kind', () => {
    const named = (name: string) =>
      `cases: [{ name: "${name}", incident: x, change: [{ file: pod.json, gone: true }], expect: { plane: gpu } }]`;
    const lint = (name: string) => lintCases(readCases({ path: 'c.yaml', text: named(name) }, CATALOGUES).cases);

    expect(lint('evidence gone: no pod')).toEqual([]);
    expect(lint('no pod')).toEqual([
      expect.objectContaining({ line: 1, message: expect.stringContaining('near miss') }),
    ]);
  });
});
