import { expect, it } from 'vitest';
import { changedByDress } from './dressed-logs.ts';

it('a log ends at the same finding, and as sure, whatever carried it to the reader, in every incident', async () => {
  expect(await changedByDress(1)).toEqual([]);
}, 300_000);
