import { expect, it } from 'vitest';
import { doubled } from './one-value.ts';

it('a card and the plan of its profile have one value of a flag', async () => {
  expect(await doubled({ step: 8, count: 10 })).toEqual([]);
});
