import { expect, it } from 'vitest';
import { ledAstray } from './line-alone.ts';

it('each deciding line alone leads to its memory', async () => {
  expect(await ledAstray(1)).toEqual([]);
}, 120_000);
