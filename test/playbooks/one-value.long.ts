import { expect, it } from 'vitest';
import { doubled } from './one-value.ts';

it('a card and the plan of its profile have one value of a flag, for every incident', async () => {
  expect(await doubled({ step: 1, count: 200 })).toEqual([]);
}, 300_000);
