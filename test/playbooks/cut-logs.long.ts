import { describe, expect, it } from 'vitest';
import { allCuts, falselyCertain } from './cut-logs.ts';
import { INCIDENTS } from './shipped.ts';

describe('a log that is cut, to any stretch of it', () => {
  it.each(INCIDENTS)('makes nothing certain that the whole does not: %s', async (name) => {
    expect(await falselyCertain(name, allCuts)).toEqual([]);
  });
});
