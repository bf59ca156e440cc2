import { describe, expect, it } from 'vitest';
import type { Cause } from '../../src/model/taxonomy.ts';
import type { NotRuledOut, PathStep, Verdict } from '../../src/model/verdict.ts';
import { openItems } from '../../src/report/words/not-ruled-out.ts';
import { spanWords } from '../../src/report/words/span-words.ts';
import { anInput } from './inputs.ts';

const open = (name: string, cause?: Cause, needs = `item ${name}`): NotRuledOut => ({
  branch: `q/${name}`,
  finding: name,
  headline: `It was ${name}`,
  ...(cause && { cause }),
  missing: [{ fact: 'x', reason: 'not-in-snapshot', needs }],
});
const listed = (
  notRuledOut: NotRuledOut[],
  { verdict = {}, path = [], all = false }: { verdict?: Partial<Verdict>; path?: PathStep[]; all?: boolean } = {},
): string[] => {
  const { diagnosis } = anInput({ verdict: { notRuledOut, alternatives: [], ...verdict }, diagnosis: { path } });
  return openItems(diagnosis, { all }).map(spanWords);
};
const FIVE = ['a', 'b', 'c', 'd', 'e'].map((name) => open(name));

describe('what is not ruled out', () => {
  it('is three of it and a count of the rest, or all', () => {
    expect(listed(FIVE)).toEqual([
      'It was a · missing: item a',
      'It was b · missing: item b',
      'It was c · missing: item c',
      '2 more: explain --all',
    ]);
    expect(listed(FIVE, { all: true })).toEqual(
      ['a', 'b', 'c', 'd', 'e'].map((n) => `It was ${n} · missing: item ${n}`),
    );
    expect(listed(FIVE.slice(0, 3))).toHaveLength(3);
  });

  it.each([
    ['or', 'the OOM line, or nvidia-smi', ['It was a; It was b · missing: the OOM line']],
    ['or, third', 'the check, nvidia-smi, or the OOM line', ['It was a; It was b · missing: the OOM line']],
    ['and', 'the OOM line, and the model', ['It was a · missing: the OOM line', 'It was b · missing: the model']],
  ])('names no item twice in two wordings: %s', (_name, needs, lines) => {
    expect(listed([open('a', undefined, 'the OOM line'), open('b', undefined, needs)])).toEqual(lines);
  });

  it('is said once where several items would tell, under the one that tells of most', () => {
    const items = ['the status', 'the log'].map((needs) => open('a', undefined, needs));

    expect(listed([...items, open('b', undefined, 'the log')])).toEqual(['It was a; It was b · missing: the log']);
  });

  it('is never what leads to the cause of the verdict, nor what reads the same', () => {
    const others = [open('twin', 'gpu.startup.weights'), open('other', 'gpu.startup.profiling')];

    expect(listed(others, { verdict: { cause: 'gpu.startup.weights' }, all: true })).toEqual([
      'It was other · missing: item other',
    ]);
  });

  it('begins with what the verdict names as other causes, in its order, each cause once', () => {
    const others = [
      open('a', 'host.shm'),
      open('b', 'gpu.burst.logits'),
      open('c', 'gpu.burst.logits'),
      open('d', 'gpu.chronic.leak'),
      open('e', 'host.offload'),
    ];

    expect(listed(others, { verdict: { alternatives: ['gpu.chronic.leak', 'gpu.burst.logits'] } })).toEqual([
      'It was d · missing: item d',
      'It was b · missing: item b',
      'It was a · missing: item a',
      '2 more: explain --all',
    ]);
  });

  it('goes on with that for which most is seen', () => {
    const said = (answer: 'yes' | 'unknown', seen: string) =>
      ({ text: 't', says: '', fact: 'f', seen, answer, depth: 0 }) as const;
    const step = (branch: string, conditions: PathStep['conditions']): PathStep => ({
      question: 'q',
      ask: 'What?',
      branch,
      answer: 'unknown',
      conditions,
    });
    const path = [
      // That something is not so, or not known, speaks for nothing.
      step('a', [said('yes', 'no'), said('yes', 'not known'), said('unknown', 'not known')]),
      step('b', [said('yes', 'serving'), said('unknown', 'not known')]),
      step('c', [said('unknown', 'not known')]),
      step('d', [said('yes', 'serving'), said('yes', '2 GiB'), said('unknown', 'not known')]),
      step('e', [said('yes', 'serving'), said('unknown', ''), said('unknown', '')]),
    ];
    const shown = listed(FIVE, { path });

    expect(shown.slice(0, 3).map((text) => text.slice(0, 8))).toEqual(['It was d', 'It was b', 'It was e']);
  });

  it('says of what is there that it does not show it, and never that it is missing', () => {
    const needs = 'describe.txt is there, but does not show the exit code';
    const held = {
      ...open('a'),
      missing: [{ fact: 'x', reason: 'not-in-snapshot' as const, needs, held: true as const }],
    };

    expect(listed([held])).toEqual([`It was a · ${needs}`]);
  });
});
