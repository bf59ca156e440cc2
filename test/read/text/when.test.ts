import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAge, parseTime, parseTimeOfDay } from '../../../src/read/text/when.ts';

describe('a time in a text', () => {
  it.each([
    ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00Z'],
    ['2026-03-01T10:00:00.123456789Z', '2026-03-01T10:00:00.123Z'],
    ['2026-03-01T10:00:00+02:00', '2026-03-01T08:00:00Z'],
    ['2026/03/01 10:00:00.5', '2026-03-01T10:00:00.500Z'],
    ['[2026-03-01 10:00:00,250] text', '2026-03-01T10:00:00.250Z'],
    ['Sun, 01 Mar 2026 10:00:00 +0100', '2026-03-01T09:00:00Z'],
    ['Sat Nov 21 03:50:00 2026', '2026-11-21T03:50:00Z'],
    ['Sat Nov  1 03:50:00 PM UTC 2026', '2026-11-01T15:50:00Z'],
  ])('%s', (text, iso) => {
    expect(parseTime(text)).toBe(Date.parse(iso));
  });

  it.each([
    '',
    '10:00:00',
    '2026-13-01T10:00:00Z',
    '2026-03-01T25:00:00Z',
    '1970-01-01T00:00:00Z',
    '0001-01-01T00:00:00Z',
    'Nov 30 10:17:44',
  ])('%j is none', (text) => {
    expect(parseTime(text)).toBeUndefined();
  });

  it('reads what Kubernetes writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4e9 }), (seconds) => {
        expect(parseTime(new Date(seconds * 1000).toISOString())).toBe(seconds * 1000);
      }),
      { numRuns: 200, seed: 1 },
    );
  });
});

describe('ages and times of the day', () => {
  it.each([
    ['41s', 41],
    ['4m11s', 251],
    ['2d3h', 183_600],
    ['1y', 31_536_000],
  ])('%s are %d seconds', (text, seconds) => {
    expect(parseAge(text)).toBe(seconds);
  });

  it.each(['', '41', 'x3', '<unknown>', '4m 11s'])('%j is no age', (text) => {
    expect(parseAge(text)).toBeUndefined();
  });

  it('counts ms since midnight', () => {
    expect(parseTimeOfDay('00:01:02.500')).toBe(62_500);
    expect(parseTimeOfDay('noon')).toBeUndefined();
  });
});
