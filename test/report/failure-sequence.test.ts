import { describe, expect, it } from 'vitest';
import { explainMessages } from '../../src/report/explain.ts';
import { drawTerminal } from '../../src/report/terminal.ts';
import { AS_TEXT, aFacts, anInput } from './inputs.ts';

const AT = Date.parse('2026-09-14T10:47:10Z');
const MINUTE = 60_000;

const of = (facts: object, verdict: object = {}) =>
  explainMessages(
    anInput({
      facts: aFacts({ 'death.oom-killed': true, ...facts }),
      verdict: { plane: 'both', phase: 'burst', cause: 'gpu.burst.headroom', certain: true, ...verdict },
    }),
  )
    .map((message) => drawTerminal(message, AS_TEXT))
    .join()
    .replaceAll(/\s+/g, ' ');

const GPU_FIRST = { 'sequence.order': 'gpu-then-host', 'sequence.first-life': 'serving' };

describe('two memories that failed in turn', () => {
  it.each([
    [
      'each with its time and what the engine was at',
      { ...GPU_FIRST, 'gpu.oom-at': AT, 'sequence.host-at': AT + MINUTE },
      'GPU memory ran out while serving (2026-09-14 10:47:10 UTC), then container RAM (2026-09-14 10:48:10 UTC).',
    ],
    [
      'RAM first',
      {
        'sequence.order': 'host-then-gpu',
        'sequence.first-life': 'starting',
        'gpu.oom-at': AT + MINUTE,
        'sequence.host-at': AT,
      },
      'Container RAM ran out at startup (2026-09-14 10:47:10 UTC), then GPU memory (2026-09-14 10:48:10 UTC).',
    ],
    ['without what is not known', { 'sequence.order': 'gpu-then-host' }, 'GPU memory ran out, then container RAM.'],
    [
      'with the one time that is known',
      { ...GPU_FIRST, 'sequence.host-at': AT },
      'GPU memory ran out while serving, then container RAM (2026-09-14 10:47:10 UTC).',
    ],
    [
      'at the bound of one incident',
      { ...GPU_FIRST, 'gpu.oom-at': AT, 'sequence.host-at': AT + 60 * MINUTE },
      'GPU memory ran out while serving (2026-09-14 10:47:10 UTC), then container RAM (2026-09-14 11:47:10 UTC).',
    ],
    [
      'without times of two zones',
      { ...GPU_FIRST, 'gpu.oom-at': AT, 'sequence.host-at': AT + 61 * MINUTE },
      'GPU memory ran out while serving, then container RAM.',
    ],
    [
      'without times that contradict the order',
      { ...GPU_FIRST, 'gpu.oom-at': AT, 'sequence.host-at': AT - 1000 },
      'GPU memory ran out while serving, then container RAM.',
    ],
    [
      'with the RAM of the node where the node was short',
      { ...GPU_FIRST, 'kernel.oom-kill': 'node' },
      'GPU memory ran out while serving, then the RAM of the node.',
    ],
  ])('are told: %s', (_name, facts: object, sentence: string) => {
    expect(of(facts)).toContain(`Cause: ${sentence}`);
  });

  it('have no order where it is not known', () => {
    expect(of({ 'sequence.order': 'unordered' })).not.toContain('ran out, then');
  });
});
