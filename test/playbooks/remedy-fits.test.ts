import fc from 'fast-check';
import { expect, it } from 'vitest';
import { aFigured, proposedOf } from './remedy-fits.ts';

it('what is proposed where the engine printed its figures starts by the sums of `oom budget`', async () => {
  for (const figured of fc.sample(aFigured, { numRuns: 20, seed: 3313 })) {
    expect({ ...figured, refused: (await proposedOf(figured)).refused }).toMatchObject({ refused: [] });
  }
});
