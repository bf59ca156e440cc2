import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalBytes, formatBytes, parseQuantity, parseSize } from '../../src/model/quantity.ts';

const GIB = 1024 ** 3;

describe('a Kubernetes quantity', () => {
  it.each([
    ['1.5Gi', 1.5 * GIB],
    ['500m', 0.5],
    ['6G', 6e9],
    ['128974848', 128974848],
    ['1e3', 1000],
    ['1E3', 1000],
    ['2E', 2e18],
    ['1Ei', 1024 ** 6],
    ['128Ki', 131072],
    ['100u', 0.0001],
    [' 48Gi ', 48 * GIB],
    ['.5Gi', GIB / 2],
    ['0', 0],
  ])('%s is %d', (text, value) => {
    expect(parseQuantity(text)).toBe(value);
  });

  it('takes a number as it is', () => {
    expect(parseQuantity(4)).toBe(4);
  });

  it.each(['', 'Gi', '1 Gi', '1.5GiB', '--1', '1e', 'unlimited', 'NaN', '1K'])('%j is none', (text) => {
    expect(parseQuantity(text)).toBeUndefined();
  });

  it('is undefined, not NaN, for what is missing', () => {
    expect(parseQuantity(undefined)).toBeUndefined();
    expect(parseQuantity(Number.NaN)).toBeUndefined();
  });

  it('never gives anything but a finite number or nothing', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const value = parseQuantity(text);
        expect(value === undefined || Number.isFinite(value)).toBe(true);
      }),
      { numRuns: 200, seed: 7 },
    );
  });
});

it.each([
  ['2048Mi', '2Gi'],
  ['1.5Gi', '1536Mi'],
  ['48Gi', '48Gi'],
  ['3000M', '3G'],
  ['17179869184', '17179869184'],
  ['16000000000', '16G'],
  ['1025Ki', '1025Ki'],
  ['1e3', '1e3'],
  ['500m', '500m'],
  ['0', '0'],
  ['much', 'much'],
])('a quantity of bytes as the API server writes it back: %s is %s', (text, wanted) => {
  expect(canonicalBytes(text)).toBe(wanted);
  expect(parseQuantity(canonicalBytes(text))).toBe(parseQuantity(text));
});

describe('a size in a log', () => {
  it.each([
    ['79.33 GiB', 79.33 * GIB],
    ['512 MiB', 512 * 1024 ** 2],
    ['0 bytes', 0],
    ['4544Mi', 4544 * 1024 ** 2],
    ['131072kB', 131072 * 1024],
    ['24 GB', 24 * GIB],
    ['1,024 MiB', GIB],
    ['32607MiB', 32607 * 1024 ** 2],
    ['12 B', 12],
  ])('%s is %d bytes', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  it('takes GB for a billion only when told so, and GiB never', () => {
    expect(parseSize('24 GB', { gb: 'decimal' })).toBe(24e9);
    expect(parseSize('24 GiB', { gb: 'decimal' })).toBe(24 * GIB);
  });

  it.each(['24', '', 'GiB', '24 apples', '1.2.3 GiB'])('%j has no size', (text) => {
    expect(parseSize(text)).toBeUndefined();
  });
});

it.each([
  [18.4 * GIB, '18.4 GiB'],
  [512 * 1024 ** 2, '512 MiB'],
  [0, '0 B'],
  [1023.99 * 1024 ** 2, '1 GiB'],
  [143771 * 1024 ** 2, '140 GiB'],
  [-2 * GIB, '-2 GiB'],
  [Number.NaN, 'unknown'],
])('bytes for people: %d reads %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
