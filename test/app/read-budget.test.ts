import { describe, expect, it } from 'vitest';
import { createReadBudget } from '../../src/app/read-budget.ts';

const LIMITS = { calls: 3, logCalls: 1, bytes: 100, deepBytes: 1000 };

describe('what one triage may spend', () => {
  it('counts a log as a call too, and stops each at its limit', () => {
    const budget = createReadBudget(LIMITS);

    const taken = (['log', 'log', 'call', 'call', 'call'] as const).map((kind) => budget.take(kind));

    expect(taken).toEqual([true, false, true, true, false]);
    expect(budget.cost()).toEqual({ calls: 3, logCalls: 1, bytes: 0 });
  });

  it('never has less than no bytes left, and more once the whole log is to be searched', () => {
    const budget = createReadBudget(LIMITS);
    budget.addBytes(150);
    const before = budget.bytesLeft;

    budget.allowDeepScan();

    expect([before, budget.bytesLeft]).toEqual([0, 850]);
  });

  it('is not lowered by a whole-log limit below the usual one', () => {
    const budget = createReadBudget({ ...LIMITS, deepBytes: 10 });

    budget.allowDeepScan();

    expect(budget.bytesLeft).toBe(100);
  });
});
