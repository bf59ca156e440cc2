import { expect, it } from 'vitest';
import { notHeld } from './offered-holds.ts';

it('what a card offers starts, fits on the node, and is not taken back by another line', async () => {
  expect(await notHeld({ step: 6, count: 10 })).toEqual([]);
});
