import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allPrinted, aPrinted, diagnosisOf, faultsOf } from './remedy-property.ts';

describe('the remedies of a signature', () => {
  it('go its way, and name what its engine has, for every line of every signature in every version', async () => {
    const faults: string[] = [];
    for (const printed of allPrinted('every')) faults.push(...faultsOf(printed, await diagnosisOf(printed)));

    expect([...new Set(faults)]).toEqual([]);
  }, 300_000);

  it('go its way at any age and with other lines around it, 10,000 times over', async () => {
    const faults: string[] = [];
    for (const printed of fc.sample(aPrinted, { numRuns: 10_000, seed: 3312 })) {
      faults.push(...faultsOf(printed, await diagnosisOf(printed)));
    }

    expect([...new Set(faults)]).toEqual([]);
  }, 300_000);
});
