import { expect, it } from 'vitest';
import { changedByDress } from './dressed-logs.ts';

it('a log ends at the same finding, and as sure, whatever carried it to the reader', async () => {
  expect(await changedByDress(10)).toEqual([]);
});
