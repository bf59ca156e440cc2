import fc from 'fast-check';
import { expect, it } from 'vitest';
import { allPrinted, aPrinted, asks, diagnosisOf, faultsOf } from './remedy-property.ts';

it.each([
  ['Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.', 'up', 'down'],
  ['Please try to increase --mem-fraction-static. Current value: 0.8', 'up', undefined],
  ['Decrease GPU memory utilization or reduce gpu_memory_utilization used by other processes.', 'down', undefined],
  ['consider decreasing `gpu_memory_utilization` or enforcing eager mode', 'down', undefined],
  ['Increase gpu_memory_utilization, or lower gpu_memory_utilization', undefined, undefined],
  ['CUDA out of memory', undefined, undefined],
] as const)('which way a line asks: %s', (line, fraction, length) => {
  expect(asks(line, 'fraction')).toBe(fraction);
  expect(asks(line, 'length')).toBe(length);
});

it('the remedies of a signature go its way, and name what its engine has', async () => {
  const alone = allPrinted('one').filter((_, i) => i % 16 === 0);
  const among = fc.sample(aPrinted, { numRuns: 30, seed: 3311 });
  const faults = await Promise.all([...alone, ...among].map(async (one) => faultsOf(one, await diagnosisOf(one))));

  expect([...new Set(faults.flat())]).toEqual([]);
});
