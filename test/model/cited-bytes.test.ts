import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCitedBytes } from '../../src/model/format-value.ts';
import { formatBytes, GIB, MIB } from '../../src/model/quantity.ts';

const line = (text: string, more?: string[]) => ({
  kind: 'line' as const,
  file: 'previous.log',
  line: 1,
  text,
  ...(more && { more }),
});

describe('a figure that a line prints', () => {
  it.each([
    { bytes: 1.96 * GIB, text: 'Tried to allocate 1.96 GiB', shown: '1.96 GiB' },
    { bytes: 6.05 * GIB, text: 'allocate 6.05 GiB, 5.94 GiB is free', shown: '6.05 GiB' },
    { bytes: 280 * MIB, text: 'Tried to allocate 280.00 MiB', shown: '280 MiB' },
    { bytes: 121.92 * GIB, text: 'profiling: 121.92 GiB', shown: '121.92 GiB' },
    { bytes: 19.9073 * GIB, text: 'weights took 19.9073 GB', shown: '19.91 GiB' },
    { bytes: 19.9e9, text: 'weights took 19.9 GB', shown: '18.53 GiB' },
    { bytes: -1.79 * GIB, text: 'Available KV cache memory: -1.79 GiB', shown: '-1.79 GiB' },
    { bytes: 28400.52 * MIB, text: 'allocating 28400.52 MiB on device 0', shown: '27.73 GiB' },
    { bytes: 14.49 * GIB, text: 'weights take 14.49GiB', shown: '14.49 GiB' },
  ])('keeps two decimals: $text', ({ bytes, text, shown }) => {
    expect(formatCitedBytes(bytes, [line(text)])).toBe(shown);
  });

  it('is found in the line in which its sentence goes on', () => {
    expect(formatCitedBytes(90.17 * GIB, [line('Initial free memory 82.94 GiB,', ['current 90.17 GiB'])])).toBe(
      '90.17 GiB',
    );
  });
});

describe('a sum or a difference', () => {
  const FREE = 'Free memory on device (19.77/22.05 GiB) is less than desired (0.9, 19.84 GiB)';
  it.each([
    { name: 'has no digit that its parts do not have', bytes: 0.07 * GIB, text: FREE, shown: '0.07 GiB' },
    { name: 'is no zero', bytes: 0.004 * GIB, text: FREE, shown: 'less than 0.01 GiB' },
    { name: 'is zero where it is', bytes: 0, text: FREE, shown: '0 B' },
    { name: 'is as exact as parts in MiB', bytes: 71.7 * MIB, text: '512.31 MiB of 584.01 MiB', shown: '71.7 MiB' },
    { name: 'of whole figures is short', bytes: 45.24 * GIB, text: '46068 MiB of 46068MiB', shown: '45.2 GiB' },
    { name: 'of gibibytes is short', bytes: 10.07 * GIB, text: FREE, shown: '10.1 GiB' },
  ])('$name', ({ bytes, text, shown }) => {
    expect(formatCitedBytes(bytes, [line(text)])).toBe(shown);
  });
});

it('is as it was where no line prints sizes', () => {
  const from = [{ kind: 'sample' as const, file: 'series.json' as const, series: 'x', at: 0, value: 1 }];
  fc.assert(
    fc.property(fc.double({ noNaN: true }), (bytes) => {
      expect(formatCitedBytes(bytes, from)).toBe(formatBytes(bytes));
      expect(formatCitedBytes(bytes, [line('no size in it')])).toBe(formatBytes(bytes));
    }),
    { seed: 33, numRuns: 200 },
  );
});
