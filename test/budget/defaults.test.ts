import { describe, expect, it } from 'vitest';
import { defaultOf } from '../../src/budget/profiles.ts';
import { GIB } from '../../src/budget/reckoned.ts';
import { defaultOf as defaultOfReader } from '../../src/facts/engines/defaults.ts';
import { BOOK } from './a-fit.ts';

const VERSIONS: Readonly<Record<string, readonly string[]>> = {
  vllm: ['0.6.0', '0.7.3', '0.11.0', '0.20.2', '0.21.0', '0.29.0'],
  tgi: ['2.4.0', '3.3.7'],
  lmdeploy: ['0.9.0'],
};
const CARDS = [
  { gib: 22.06, product: 'NVIDIA-L4' },
  { gib: 79.2, product: 'NVIDIA-A100-SXM4-80GB' },
  { gib: 79.2, product: 'NVIDIA-H100-80GB-HBM3' },
  { gib: 178, product: 'NVIDIA-B200' },
];

const cases = BOOK.defaults.flatMap(({ engine, flag }) =>
  (VERSIONS[engine] ?? []).flatMap((version) => CARDS.map((card) => ({ engine, flag, version, ...card }))),
);

// The profiles say what they start from; the engine readers say it with sources. They must not part.
describe('defaults that profiles start from', () => {
  const both = cases.flatMap(({ engine, flag, version, gib, product }) => {
    const own = defaultOf(BOOK, { engine, version, flag, card: { totalBytes: gib * GIB, product } });
    const told = defaultOfReader(engine, flag, { version, gpuBytes: gib * GIB, gpuName: product });
    const number = Number(told?.value);
    return own === undefined || !Number.isFinite(number)
      ? []
      : [{ what: `${engine} ${version} ${flag} ${product}`, own, number }];
  });

  it('are known to the readers as well', () => {
    expect(both.length).toBeGreaterThan(40);
  });

  it('hold the value that the reader of the engine tells', () => {
    const parted = both.filter(({ own, number }) => number < own.low || number > own.high);

    expect(parted).toEqual([]);
  });
});
