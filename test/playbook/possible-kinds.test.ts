import { describe, expect, it } from 'vitest';
import type { CaseKind } from '../../src/playbook/coverage.ts';
import { knownOnArrival, possibleKinds } from '../../src/playbook/possible-kinds.ts';
import { playbookOf } from './builders.ts';

const FINDING =
  '{ plane: unknown, phase: n/a, cause: unknown, headline: h, says: s, next: [n], proof: [], alternatives: [] }';

function kindsOf(questions: string): Record<string, readonly CaseKind[]> {
  const playbook = playbookOf(`
playbook: { name: test, version: 1, schema: 2, start: first }
thresholds: { mark: { value: 1GiB, why: an example, source: an example } }
questions:
${questions}
findings:
  f: ${FINDING}
  g: ${FINDING}
`);
  const known = knownOnArrival(playbook);
  return Object.fromEntries(
    playbook.questions.flatMap((question) =>
      question.branches.map(({ id }, at) => [
        `${question.id}/${id}`,
        possibleKinds(question, at, known.get(question.id) ?? new Set()),
      ]),
    ),
  );
}

const question = (id: string, branches: readonly string[], otherwise = '{ finding: g }') =>
  `  ${id}:\n    ask: a?\n    branches:\n${branches.map((branch) => `      - ${branch}\n`).join('')}    otherwise: ${otherwise}\n`;

describe('kinds of cases that a branch can have', () => {
  it('all four where it compares with a mark', () => {
    const kinds = kindsOf(question('first', ['{ id: a, if: { fact: gpu.want, above: $mark }, finding: f }']));

    expect(kinds['first/a']).toEqual(['hit', 'on-the-line', 'near-miss', 'evidence-gone']);
  });

  it('no evidence-gone where every way to the question needs the fact', () => {
    const next = question('next', ['{ id: b, if: { fact: gpu.want, is: 0 }, finding: f }']);
    const need = '{ id: a, if: { all: [{ fact: gpu.want, below: $mark }, { fact: gpu.free, is: 0 }] }, ask: next }';

    expect(kindsOf(question('first', [need]) + next)['next/b']).toEqual(['hit', 'near-miss']);
  });

  it.each([
    [
      'another way needs other facts',
      [
        '{ id: a, if: { fact: gpu.want, is: 0 }, ask: next }',
        '{ id: c, if: { fact: gpu.free, below: $mark }, ask: next }',
      ],
    ],
    [
      'one of several suffices',
      ['{ id: a, if: { any: [{ fact: gpu.want, below: $mark }, { fact: gpu.free, is: 0 }] }, ask: next }'],
    ],
    ['the way is one of facts that are missing', ['{ id: a, if: { fact: gpu.want, known: false }, ask: next }']],
  ])('evidence-gone where %s', (_, ways) => {
    const next = question('next', ['{ id: b, if: { fact: gpu.want, is: 0 }, finding: f }']);

    expect(kindsOf(question('first', ways) + next)['next/b']).toContain('evidence-gone');
  });

  it.each([
    ['all: [{ fact: gpu.want, known: true }, { fact: gpu.want, below: $mark }]', false],
    ['all: [{ fact: gpu.want, known: true }, { any: [{ fact: gpu.want, below: $mark }] }]', false],
    ['any: [{ fact: gpu.want, below: $mark }, { fact: gpu.want, known: false }]', false],
    ['any: [{ fact: gpu.want, below: $mark }, { fact: gpu.want, known: true }]', true],
    ['all: [{ fact: gpu.want, known: false }, { fact: gpu.want, below: $mark }]', true],
    ['all: [{ fact: gpu.want, known: true }, { fact: gpu.free, below: $mark }]', true],
  ])('where whether it is known is asked as well: { %s } can lack evidence: %s', (condition, can) => {
    const kinds = kindsOf(question('first', [`{ id: a, if: { ${condition} }, finding: f }`]));

    expect(kinds['first/a']?.includes('evidence-gone')).toBe(can);
  });

  it('what is known goes on through questions between', () => {
    const between = question('between', ['{ id: b, if: { fact: gpu.free, is: 0 }, ask: last }'], '{ ask: last }');
    const last = question('last', ['{ id: c, if: { fact: gpu.want, is: 0 }, finding: f }']);
    const first = question('first', ['{ id: a, if: { fact: gpu.want, known: true }, ask: between }']);

    expect(kindsOf(last + between + first)['last/c']).toEqual(['hit', 'near-miss']);
  });

  it('no near miss where the branches above took all other words of the fact', () => {
    const kinds = kindsOf(
      question('first', [
        '{ id: a, if: { fact: failure.life, is: starting }, finding: f }',
        '{ id: b, if: { fact: failure.life, is: serving }, finding: f }',
      ]),
    );

    expect(kinds['first/a']).toContain('near-miss');
    expect(kinds['first/b']).toEqual(['hit', 'evidence-gone']);
  });
});
