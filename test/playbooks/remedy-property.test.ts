import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allPrinted, aPrinted, asks, diagnosisOf, faultsOf } from './remedy-property.ts';

describe('which way a line asks', () => {
  it.each([
    [
      'Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.',
      'up',
      'down',
    ],
    ['Please try to increase --mem-fraction-static. Current value: 0.8', 'up', undefined],
    ['Decrease GPU memory utilization or reduce gpu_memory_utilization used by other processes.', 'down', undefined],
    ['consider decreasing `gpu_memory_utilization` or enforcing eager mode', 'down', undefined],
    ['Increase gpu_memory_utilization, or lower gpu_memory_utilization', undefined, undefined],
    ['CUDA out of memory', undefined, undefined],
  ] as const)('%s', (line, fraction, length) => {
    expect(asks(line, 'fraction')).toBe(fraction);
    expect(asks(line, 'length')).toBe(length);
  });
});

describe('the remedies of a signature', () => {
  it('go its way, and name what its engine has, for every line of every signature', async () => {
    const all = allPrinted('one');
    const faults = await Promise.all(all.map(async (printed) => faultsOf(printed, await diagnosisOf(printed))));

    expect(all.filter(({ line }) => asks(line, 'fraction') !== undefined).length).toBeGreaterThan(5);
    expect([...new Set(faults.flat())]).toEqual([]);
  });

  it('do so at any age of the process and with other lines around it', async () => {
    const faults: string[] = [];
    for (const printed of fc.sample(aPrinted, { numRuns: 200, seed: 3311 })) {
      faults.push(...faultsOf(printed, await diagnosisOf(printed)));
    }

    expect([...new Set(faults)]).toEqual([]);
  });
});
