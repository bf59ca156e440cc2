import { describe, expect, it } from 'vitest';
import type { PathStep } from '../../src/model/verdict.ts';
import { explainMessages } from '../../src/report/explain.ts';
import { drawTerminal } from '../../src/report/terminal.ts';
import { aFacts, anInput } from './inputs.ts';
import { AS_TEXT } from './plain.ts';

const shown = (given: Parameters<typeof anInput>[0]): string =>
  explainMessages(anInput(given))
    .map((message) => drawTerminal(message, AS_TEXT))
    .join('\n')
    .replace(/\s+/g, ' ');

const line = (n: number, text: string) => ({ kind: 'line' as const, file: 'previous.log', line: n, text });

describe('an explanation', () => {
  it('quotes a line once, under all that rests on it', () => {
    const oom = line(7, 'CUDA out of memory. Tried to allocate 2 GiB.');

    const text = shown({
      verdict: {
        evidence: [
          { says: 'GPU memory ran out', fact: 'gpu.oom-logged', from: [oom, oom] },
          { says: 'Wanted: 2 GiB', fact: 'gpu.want', from: [oom] },
        ],
      },
    });

    expect(text.match(/Tried to allocate/g)).toHaveLength(1);
    expect(text).toMatch(/GPU memory ran out · Wanted: 2 GiB/);
  });

  it('tells the way by questions and words, with what had to be passed unseen', () => {
    const step = (branch: string, answer: PathStep['answer'], says: string): PathStep => ({
      question: 'ram-kind',
      ask: 'Whose RAM ran out?',
      branch,
      answer,
      conditions: [{ text: 'ram.x is yes', says, fact: 'ram.x', seen: 'yes', answer: 'yes', depth: 0 }],
    });
    const path = [
      step('helper', 'no', ''),
      step('node-dry', 'unknown', ''),
      step('offload', 'yes', 'blocks are kept in host memory'),
    ];

    const text = shown({ diagnosis: { path } });

    expect(text).toContain(
      'Whose RAM ran out? offload: blocks are kept in host memory. 1 other answer could not be checked.',
    );
    expect(text).not.toMatch(/helper|ram\.x/);
  });

  it('says each fact of a step once, and none of which nothing is known', () => {
    const said = (fact: string, says: string) =>
      ({ text: fact, says, fact, seen: '', answer: 'yes', depth: 0 }) as const;
    const conditions = [
      said('gpu.want', 'wanted: 2 GiB (at least 1 GiB)'),
      said('gpu.want', 'wanted: 2 GiB (at least 512 MiB)'),
      said('gpu.foreign', 'held by others: not known'),
      said('log.stage', 'stage: nothing'),
    ];
    const path: PathStep[] = [{ question: 'q', ask: 'What?', branch: 'large', answer: 'yes', conditions }];
    const facts = new Map([
      ...aFacts({ 'gpu.want': 2 ** 31, 'log.stage': 'nothing' }),
      ['gpu.foreign', { kind: 'unknown' as const, reason: 'not-in-snapshot' as const, detail: '' }] as const,
    ]);

    expect(shown({ diagnosis: { path }, facts })).toContain('What? large: wanted: 2 GiB (at least 1 GiB).');
  });

  it('puts names of causes, memories and milestones into words', () => {
    const values = {
      'log.first-cause': 'none.comm',
      'log.first-plane': 'gpu',
      'engine.last-milestone': 'load-end',
      'sequence.order': 'host-then-gpu',
    };
    const evidence = Object.entries(values).map(([fact, value], i) => ({
      says: `Seen: ${value}`,
      fact,
      from: [line(i + 1, 'text')],
    }));

    const text = shown({ verdict: { evidence }, facts: aFacts(values) });

    expect(text).toContain('Seen: communication between processes failed');
    expect(text).toContain('Seen: GPU memory');
    expect(text).toContain('Seen: the weights were loaded');
    expect(text).toContain('Seen: RAM first, then GPU memory');
  });

  it('names no likeliest cause where there is none but that it is not memory', () => {
    const verdict = { plane: 'none', phase: 'n/a', certain: false } as const;

    expect(shown({ verdict: { ...verdict, cause: 'none.comm' } })).toContain('Likeliest: communication');
    expect(shown({ verdict: { ...verdict, cause: 'none.other' } })).not.toContain('Likeliest');
  });

  it.each([
    [true, '✖ GPU memory'],
    [false, '▲ Probably GPU memory'],
  ])('bears the sign of the card: certain %s', (certain, words) => {
    expect(shown({ verdict: { plane: 'gpu', certain } })).toContain(words);
  });
});
