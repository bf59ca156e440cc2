import { expect, it } from 'vitest';
import { createWorkQueue } from '../../src/app/work-queue.ts';
import { turns } from './triage/triage-harness.ts';

it('runs so many of a group and one of a lane, and lets the others past', async () => {
  const queue = createWorkQueue({ most: 2, waiting: 2 });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (name: string, group: string, lane?: string) =>
    queue.add({
      ...{ group, lane },
      run: () => {
        begun.push(name);
        return new Promise((end) => void ends.set(name, end));
      },
    });

  const taken = [add('a', 'x', 'n1'), add('b', 'x', 'n1'), add('c', 'x', 'n2'), add('d', 'x'), add('e', 'x')];

  expect(taken).toEqual([true, true, true, true, false]);
  expect(begun).toEqual(['a', 'c']);
  ends.get('c')?.();
  await turns();
  expect(begun).toEqual(['a', 'c', 'd']);
  expect(add('f', 'y', 'n1')).toBe(true);
  ends.get('a')?.();
  await turns();
  expect(begun).toEqual(['a', 'c', 'd', 'f', 'b']);
  for (const end of ends.values()) end();
  await queue.stop();
});
