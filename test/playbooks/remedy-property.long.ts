import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aPrinted, diagnosisOf, faultsOf } from './remedy-property.ts';

describe('the remedies of a signature', () => {
  it('go its way at any age and with other lines around it, 10,000 times over', async () => {
    const faults: string[] = [];
    for (const printed of fc.sample(aPrinted, { numRuns: 10_000, seed: 3312 })) {
      faults.push(...faultsOf(printed, await diagnosisOf(printed)));
    }

    expect([...new Set(faults)]).toEqual([]);
  }, 300_000);
});
