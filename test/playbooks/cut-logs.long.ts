import { expect, it } from 'vitest';
import { falselyCertain, manyCuts } from './cut-logs.ts';
import { INCIDENTS } from './shipped.ts';

it.each(INCIDENTS)('a log that is cut anywhere makes nothing certain that the whole does not: %s', async (name) => {
  expect(await falselyCertain(name, manyCuts)).toEqual([]);
});
