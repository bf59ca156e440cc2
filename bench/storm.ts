import { bundle, type Figure, holds, runChild } from './harness.ts';

/** 200 requests for pods of one workload at once. */
export async function benchStorm(): Promise<Figure[]> {
  const { cards, calls } = runChild<{ cards: number; calls: number }>(await bundle('bench/storm-child.ts'));
  return [
    holds('storm of 200 pods of one workload: cards', cards, 1, '', 0),
    holds('storm of 200 pods of one workload: API calls for each pod', calls / 200, 0.5, ''),
  ];
}
