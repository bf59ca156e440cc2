import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aFigured, proposedOf } from './remedy-fits.ts';

describe('what is proposed where the engine printed its figures', () => {
  it('starts by the sums of `oom budget`', async () => {
    const faults: string[] = [];
    const shapes = new Set<string>();
    for (const figured of fc.sample(aFigured, { numRuns: 800, seed: 3314 })) {
      const { verdict, refused, profile } = await proposedOf(figured);
      faults.push(...refused.map((why) => `${verdict.finding}: ${why}\n${figured.name}`));
      if (profile !== undefined) shapes.add(`profile ${profile.name} ${profile.kind}`);
      for (const { direction, edits } of verdict.remedies) {
        if (edits.length > 0) shapes.add(`${verdict.phase} ${direction} ${edits.map(({ flag }) => flag).join(' ')}`);
      }
    }

    expect(faults).toEqual([]);
    // Of each way at least one: a fraction that may be lowered, one that may not, one that may be raised.
    expect([...shapes].toSorted()).toEqual(
      expect.arrayContaining([
        'burst lower --gpu-memory-utilization',
        'burst lower --gpu-memory-utilization --max-model-len',
        'burst lower --max-num-batched-tokens --max-num-seqs',
        'burst lower --mem-fraction-static',
        'startup lower --max-model-len',
        'profile conservative fitted',
        'profile emergency fitted',
        'profile performance fitted',
        'startup raise --gpu-memory-utilization',
      ]),
    );
  }, 1_200_000);
});
