import { expect, it } from 'vitest';
import { notHeld } from './offered-holds.ts';

it('what a card offers starts, fits on the node, and is not taken back by another line, in every incident', async () => {
  expect(await notHeld({ step: 1, count: 60 })).toEqual([]);
}, 300_000);
