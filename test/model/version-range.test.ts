import { describe, expect, it } from 'vitest';
import { isInRange, parseVersionRange } from '../../src/model/version-range.ts';

describe('versions of a signature', () => {
  it.each([
    ['all', ['0.1', '9.9'], []],
    ['all (C++ runtime)', ['0.1'], []],
    ['0.12', ['0.12', '0.12.3'], ['0.11.9', '0.13']],
    ['>=0.9.1', ['0.9.1', '1.0'], ['0.9.0']],
    ['>0.24 (main, 2026-08)', ['0.25'], ['0.24', '0.24.5']],
    ['<2.2', ['2.1.9'], ['2.2', '2.2.1']],
    ['0.6.5 - 0.10.x (V0)', ['0.6.5', '0.10.2'], ['0.6.4', '0.11.0']],
    ['0.2.x - 0.10', ['0.2.0', '0.10.9'], ['0.1.9', '0.11']],
    ['0.11 - HEAD', ['0.11.0', '7.0'], ['0.10.9']],
    ['0.2.14 - 0.4.6.post5', ['0.4.6', '0.2.14'], ['0.4.7', '0.2.13']],
    ['b3000 - HEAD', ['b3000', 'b6123'], ['b2999']],
  ] as const)('%s', (text, inside, outside) => {
    const range = parseVersionRange(text);

    expect(range).toBeDefined();
    expect(inside.filter((version) => range !== undefined && !isInRange(version, range))).toEqual([]);
    expect(outside.filter((version) => range !== undefined && isInRange(version, range))).toEqual([]);
  });

  it.each([
    '',
    'newest',
    'since 0.9',
    '0.9 to 0.10',
    '>= 0.9',
    '0.9 -',
    'HEAD - 0.9',
    'torch >=2.0',
    '0.9, 0.10',
    'all ()',
  ])('refuses %j', (text) => {
    expect(parseVersionRange(text)).toBeUndefined();
  });
});
