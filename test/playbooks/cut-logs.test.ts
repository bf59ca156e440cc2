import { describe, expect, it } from 'vitest';
import { endsOf, falselyCertain } from './cut-logs.ts';
import { INCIDENTS } from './shipped.ts';

describe('a log that is cut', () => {
  it.each(INCIDENTS)('makes nothing certain that the whole does not: %s', async (name) => {
    expect(await falselyCertain(name, (lines) => endsOf(lines, 5))).toEqual([]);
  });
});
