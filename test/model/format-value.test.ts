import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FactEntry, FactValue, Unit } from '../../src/model/fact.ts';
import { formatCitedBytes, formatFact, formatValue } from '../../src/model/format-value.ts';
import { formatBytes, GIB, MIB } from '../../src/model/quantity.ts';
import { readValue } from '../../src/playbook/value.ts';
import { unknown } from '../playbook/builders.ts';

describe('values in the reader’s words', () => {
  it.each<[unit: Unit, value: FactValue, text: string]>([
    ['bytes', 18.4 * 2 ** 30, '18.4 GiB'],
    ['bytes', 64 * 2 ** 30, '64 GiB'],
    ['bytes', 20 * 2 ** 20, '20 MiB'],
    ['bytes', 1536, '1.5 KiB'],
    ['bytes', 0, '0 B'],
    ['bytes', -3 * 2 ** 30, '-3 GiB'],
    ['bytes', 2.5 * 2 ** 40, '2.5 TiB'],
    ['share', 0.95, '95%'],
    ['share', 0, '0%'],
    ['share', 1, '100%'],
    ['share', 0.996, '99.6%'],
    ['share', 0.004, '0.4%'],
    ['share', 1.2, '120%'],
    ['duration', 0, '0 s'],
    ['duration', 0.25, '0.25 s'],
    ['duration', 45, '45 s'],
    ['duration', 120, '2 min'],
    ['duration', 150, '2 min 30 s'],
    ['duration', 1800, '30 min'],
    ['duration', 7200, '2 h'],
    ['duration', 12_000, '3 h 20 min'],
    ['duration', 7199, '2 h'],
    ['duration', 3 * 86_400 + 7200, '3 d 2 h'],
    ['time', Date.UTC(2026, 0, 2, 3, 4, 5), '2026-01-02 03:04:05Z'],
    ['time', 1e300, '1e+300'],
    ['count', 1234, '1,234'],
    ['count', 3, '3'],
    ['tokens', 131_072, '131,072 tokens'],
    ['ratio', 4.5, '4.5'],
    ['ratio', 0.333333, '0.33'],
    ['ratio', 41.3228, '41'],
    ['yes-no', true, 'yes'],
    ['yes-no', false, 'no'],
    ['text', 'vllm', 'vllm'],
  ])('%s %s reads %s', (unit, value, text) => {
    expect(formatValue(unit, value)).toBe(text);
  });

  it('what is not known says so', () => {
    expect(formatFact('bytes', unknown())).toBe('not known');
    expect(formatFact('bytes', undefined)).toBe('not known');
  });
});

const entry = (unit: Unit): FactEntry => ({ id: 'a.fact', unit, says: 's', needs: 'n', values: ['load', 'profile'] });

it.each<[unit: Unit, raw: unknown, value: FactValue | undefined]>([
  ['bytes', '16GiB', 16 * 2 ** 30],
  ['bytes', '1.5 GiB', 1.5 * 2 ** 30],
  ['bytes', '20MB', 20e6],
  ['bytes', '7B', 7],
  ['bytes', 0, 0],
  ['bytes', 16, undefined],
  ['bytes', '16', undefined],
  ['bytes', '16Gi', undefined],
  ['bytes', '-1GiB', undefined],
  ['duration', '10m', 600],
  ['duration', '1h30m', 5400],
  ['duration', '500ms', 0.5],
  ['duration', '2d', 172_800],
  ['duration', 0, 0],
  ['duration', '10', undefined],
  ['duration', 600, undefined],
  ['duration', '10 min', undefined],
  ['share', 0, 0],
  ['share', 1, 1],
  ['share', 1.01, undefined],
  ['share', -0.01, undefined],
  ['count', 3, 3],
  ['count', 3.5, undefined],
  ['count', -1, undefined],
  ['tokens', 4096, 4096],
  ['ratio', 4.5, 4.5],
  ['ratio', Number.NaN, undefined],
  ['yes-no', true, true],
  ['yes-no', 'true', undefined],
  ['choice', 'load', 'load'],
  ['choice', 'loaded', undefined],
  ['text', 'anything', 'anything'],
  ['text', 5, undefined],
])('values as they are written: %s %s', (unit, raw, value) => {
  const read = readValue(entry(unit), raw);

  expect(read.kind === 'read' ? read.value : undefined).toEqual(value);
});

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

const FREE = 'Free memory on device (19.77/22.05 GiB) is less than desired (0.9, 19.84 GiB)';
it.each([
  ['has no digit that its parts do not have', 0.07 * GIB, FREE, '0.07 GiB'],
  ['is no zero', 0.004 * GIB, FREE, 'less than 0.01 GiB'],
  ['is zero where it is', 0, FREE, '0 B'],
  ['is as exact as parts in MiB', 71.7 * MIB, '512.31 MiB of 584.01 MiB', '71.7 MiB'],
  ['of whole figures is short', 45.24 * GIB, '46068 MiB of 46068MiB', '45.2 GiB'],
  ['of gibibytes is short', 10.07 * GIB, FREE, '10.1 GiB'],
])('a sum or a difference: %s', (_name, bytes, text, shown) => {
  expect(formatCitedBytes(bytes, [line(text)])).toBe(shown);
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
