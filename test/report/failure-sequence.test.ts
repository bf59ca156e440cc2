import { describe, expect, it } from 'vitest';
import { card } from '../../src/report/card.ts';
import { drawTerminal } from '../../src/report/terminal.ts';
import { AS_TEXT, aFacts, anInput } from './inputs.ts';

const AT = Date.parse('2026-09-14T10:47:10Z');
const MINUTE = 60_000;

const of = (facts: object, verdict: object = {}) =>
  drawTerminal(
    card(
      anInput({
        facts: aFacts({ 'death.oom-killed': true, ...facts }),
        verdict: { plane: 'both', phase: 'burst', cause: 'gpu.burst.headroom', certain: true, ...verdict },
      }),
    ),
    AS_TEXT,
  ).replaceAll(/\s+/g, ' ');

const GPU_FIRST = { 'sequence.order': 'gpu-then-host', 'sequence.first-life': 'serving' };

describe('two memories that failed in turn', () => {
  it.each([
    [
      'each with its time and what the engine was at',
      { ...GPU_FIRST, 'sequence.gpu-at': AT, 'sequence.host-at': AT + MINUTE },
      'GPU memory ran out while serving (2026-09-14 10:47:10 UTC), then container RAM (2026-09-14 10:48:10 UTC). Not',
    ],
    [
      'RAM first',
      {
        'sequence.order': 'host-then-gpu',
        'sequence.first-life': 'starting',
        'sequence.gpu-at': AT + MINUTE,
        'sequence.host-at': AT,
      },
      'container RAM ran out at start-up (2026-09-14 10:47:10 UTC), then GPU memory (2026-09-14 10:48:10 UTC). Not',
    ],
    ['without what is not known', { 'sequence.order': 'gpu-then-host' }, 'GPU memory ran out, then container RAM. Not'],
    [
      'with the one time that is known',
      { ...GPU_FIRST, 'sequence.host-at': AT },
      'GPU memory ran out while serving, then container RAM (2026-09-14 10:47:10 UTC). Not',
    ],
    [
      'at the bound of one incident',
      { ...GPU_FIRST, 'sequence.gpu-at': AT, 'sequence.host-at': AT + 60 * MINUTE },
      'GPU memory ran out while serving (2026-09-14 10:47:10 UTC), then container RAM (2026-09-14 11:47:10 UTC). Not',
    ],
    [
      'without times of two zones',
      { ...GPU_FIRST, 'sequence.gpu-at': AT, 'sequence.host-at': AT + 61 * MINUTE },
      'GPU memory ran out while serving, then container RAM. Not',
    ],
    [
      'without times that contradict the order',
      { ...GPU_FIRST, 'sequence.gpu-at': AT, 'sequence.host-at': AT - 1000 },
      'GPU memory ran out while serving, then container RAM. Not',
    ],
    [
      'with the RAM of the node where the node was short',
      { ...GPU_FIRST, 'kernel.oom-kill': 'node' },
      'GPU memory ran out while serving, then the RAM of the node. Not',
    ],
    [
      'both at once where the order is not known',
      { 'sequence.order': 'unordered' },
      'container RAM and GPU memory both ran out. Not',
      { phase: 'n/a' },
    ],
  ])('are told: %s', (_name, facts: object, sentence: string, verdict: object = {}) => {
    expect(of(facts, verdict)).toContain(`Certain: ${sentence}`);
  });

  it('have no common time of life in front of the headline', () => {
    expect(of(GPU_FIRST)).toMatch(/^\S+ RAM and GPU memory: /);
    expect(of({})).toMatch(/^\S+ RAM and GPU memory, while serving: /);
  });
});
