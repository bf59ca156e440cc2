import fc from 'fast-check';
import { expect, it } from 'vitest';
import { aFigured, proposedOf } from './remedy-fits.ts';

it('what is proposed where the engine printed its figures starts by the sums of `oom budget`, 2,000 times over', async () => {
  const faults: string[] = [];
  for (const figured of fc.sample(aFigured, { numRuns: 2000, seed: 3314 })) {
    const { verdict, refused } = await proposedOf(figured);
    faults.push(...refused.map((why) => `${verdict.finding}: ${why}\n${figured.name}`));
  }

  expect(faults).toEqual([]);
}, 300_000);
