import { describe, expect, it } from 'vitest';
import { checkChosen } from '../../../../src/app/acting/plan/check-plan.ts';
import { type ChosenEdits, chooseEdits } from '../../../../src/app/acting/plan/choose-edits.ts';
import type { PlanRequest } from '../../../../src/app/acting/plan/plan-request.ts';
import type { Edit, Remedy } from '../../../../src/model/verdict.ts';
import { exampleDiagnosis } from '../../../model/examples.ts';

const edit = (flag: string, from: string | null, to: string): Edit => ({ flag, from, to, why: 'x', facts: [] });
const remedy = (over: Partial<Remedy>): Remedy => ({
  action: 'set-args',
  says: 'x',
  edits: [],
  direction: 'none',
  kind: 'stop-bleed',
  ...over,
});

const SHORTER = remedy({ direction: 'lower', edits: [edit('--max-model-len', '131072', '24736')] });
const WIDER = remedy({ direction: 'raise', edits: [edit('--gpu-memory-utilization', '0.90', '0.94')] });
const ADVICE = remedy({ action: 'advise' });
const MEMORY = [edit('memory', '32Gi', '48Gi')];
const LASTING = remedy({ action: 'raise-ram', kind: 'lasting', direction: 'raise', edits: MEMORY });

function choose(remedies: readonly Remedy[], over: Partial<PlanRequest> = {}): ChosenEdits | undefined {
  const verdict = { ...exampleDiagnosis.verdict, remedies: [...remedies] };
  const request = { incidentId: 'inc_1', action: undefined, values: [], replicas: undefined, toZero: false, ...over };
  return chooseEdits({ ...exampleDiagnosis, verdict }, request);
}

const shown = (chosen: ChosenEdits | undefined) =>
  `${chosen?.action}: ${chosen?.edits.map(({ flag, to }) => `${flag}=${to}`).join(' ')}`;

describe('what is planned', () => {
  const typed = (flag: string, to: string) => ({ action: 'set-args', values: [{ flag, to }] }) as const;
  const LENGTH = typed('--max-model-len', '16384');
  const BOTH = typed('--max-num-seqs', '64');
  const FRACTION = typed('--gpu-memory-utilization', '0.93');
  it.each([
    ['what stops the bleeding, before what lasts', [LASTING, SHORTER], {}, 'set-args: --max-model-len=24736'],
    ['what lasts, where nothing else is offered', [ADVICE, LASTING], {}, 'raise-ram: memory=48Gi'],
    ['the action that was named', [SHORTER, LASTING], { action: 'raise-ram' }, 'raise-ram: memory=48Gi'],
    ['an action that the finding does not offer', [SHORTER], { action: 'scale-to-zero' }, 'scale-to-zero: '],
    ['the same arguments in all three', [SHORTER], { action: 'stop-bleed' }, 'stop-bleed: --max-model-len=24736'],
    ['a typed value in the place of an offered one', [SHORTER], LENGTH, 'set-args: --max-model-len=16384'],
    ['a typed value beside an offered one', [SHORTER], BOTH, 'set-args: --max-model-len=24736 --max-num-seqs=64'],
    ['the remedy that a typed value is of', [SHORTER, WIDER], FRACTION, 'set-args: --gpu-memory-utilization=0.93'],
  ] as const)('is %s', (_, remedies, over, expected) => {
    expect(shown(choose(remedies, over as Partial<PlanRequest>))).toBe(expected);
  });

  it('is nothing where the finding has nothing but advice', () => {
    expect(choose([ADVICE])).toBeUndefined();
  });
});

describe('a value that is typed beside those of a remedy', () => {
  const both = (fraction: string) => {
    const values = [
      { flag: '--max-model-len', to: '16384' },
      { flag: '--gpu-memory-utilization', to: fraction },
    ];
    const chosen = choose([SHORTER, WIDER], { action: 'set-args', values });
    return chosen && checkChosen(chosen);
  };

  it('has the bounds of the remedy that it is of', () => {
    expect(both('0.93')).toBeUndefined();
    expect(both('7')).toMatch(/7 is not between 0.9 and 0.98/);
  });

  it('is told apart from other faults by a full stop', () => {
    const values = [{ flag: '--max-model-len', to: '200000' }];
    const chosen = choose([SHORTER], { action: 'set-args', values });

    expect(chosen && checkChosen(chosen)).toMatch(/and 131072\. --max-model-len: the finding .* opposite\.$/);
  });
});

const said = (base: Remedy, to: string): string | undefined => {
  const chosen = choose([base], { action: 'set-args', values: [{ flag: base.edits[0]?.flag ?? '', to }] });
  return chosen && checkChosen(chosen);
};

it.each([
  ['the offered one', SHORTER, '24736', undefined],
  ['the lowest', SHORTER, '6184', undefined],
  ['below the lowest', SHORTER, '6183', /is not between 6184 and 131072/],
  ['where it stands now', SHORTER, '131072', undefined],
  ['above where it stands', SHORTER, '131073', /is not between/],
  ['raised as the finding wants', WIDER, '0.95', undefined],
  ['lowered where the finding raises', WIDER, '0.85', /is not between 0.9 and 0.98/],
  ['more than there is', WIDER, '0.99', /is not between 0.9 and 0.98/],
] as const)('a value: %s is judged by the bounds of the finding', (_, base, to, says) => {
  const fault = said(base, to);

  if (says === undefined) expect(fault).toBeUndefined();
  else expect(fault).toMatch(says);
});
