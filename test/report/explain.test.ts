import { describe, expect, it } from 'vitest';
import type { PathStep } from '../../src/model/verdict.ts';
import { explainMessages } from '../../src/report/explain.ts';
import { drawTerminal } from '../../src/report/terminal.ts';
import { anInput } from './inputs.ts';
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
      'Whose RAM ran out? offload: blocks are kept in host memory. Could not be checked: node dry.',
    );
    expect(text).not.toMatch(/helper|ram\.x/);
  });
});
