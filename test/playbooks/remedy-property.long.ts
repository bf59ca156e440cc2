import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allPrinted, aPrinted, diagnosisOf, faultsOf } from './remedy-property.ts';

describe('the remedies of a signature', () => {
  const ofEngines = Map.groupBy(allPrinted('every-engine'), ({ engine }) => engine.name);

  it.each([...ofEngines])(
    'go its way, and name what %s has, for every line of every signature, in a version of each engine',
    async (_engine, printed) => {
      const faults: string[] = [];
      for (const one of printed) faults.push(...faultsOf(one, await diagnosisOf(one)));

      expect([...new Set(faults)]).toEqual([]);
    },
    1_200_000,
  );

  it('go its way at any age and with other lines around it, 1,000 times over', async () => {
    const faults: string[] = [];
    for (const printed of fc.sample(aPrinted, { numRuns: 1000, seed: 3312 })) {
      faults.push(...faultsOf(printed, await diagnosisOf(printed)));
    }

    expect([...new Set(faults)]).toEqual([]);
  }, 1_200_000);
});
