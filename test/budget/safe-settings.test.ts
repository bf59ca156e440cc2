import { describe, expect, it } from 'vitest';
import { amountOf, GIB, lacking } from '../../src/budget/reckoned.ts';
import {
  lengthToSet,
  loweredUtilization,
  ranksThatFit,
  readTorchLine,
  sglangFractionAfter,
  utilizationThatFits,
} from '../../src/budget/safe-settings.ts';

describe('from a refusal for want of KV room', () => {
  const refusal = { neededBytes: 8 * GIB, availableBytes: 6.5 * GIB, totalBytes: 79 * GIB, utilization: 0.9 };

  it('the fraction that would fit', () => {
    // 0.9 + 1.5 / 79 = 0.919.
    expect(utilizationThatFits({ ...refusal, graphsOutsideBytes: 0 })).toEqual({ kind: 'usable', value: 0.92 });
  });

  it.each([
    ['above 0.95', { availableBytes: GIB }, 0, 0.99],
    ['no room for graphs outside', { totalBytes: 22 * GIB, neededBytes: 6.9 * GIB }, 2 * GIB, 0.92],
  ])('is not usable: %s', (_, part, graphsOutsideBytes, value) => {
    expect(utilizationThatFits({ ...refusal, ...part, graphsOutsideBytes })).toMatchObject({
      kind: 'not-usable',
      value,
    });
  });

  it('is usable with the same graphs inside', () => {
    const small = { ...refusal, totalBytes: 22 * GIB, neededBytes: 6.9 * GIB };

    expect(utilizationThatFits({ ...small, graphsOutsideBytes: 0 })).toMatchObject({ kind: 'usable' });
  });

  it('says what it lacks', () => {
    expect(utilizationThatFits({ ...refusal, totalBytes: undefined, graphsOutsideBytes: 0 })).toEqual({
      kind: 'unknown',
      missing: ['totalBytes'],
    });
  });

  it('the length to set is 95 % in whole blocks', () => {
    expect(lengthToSet(34_736)).toBe(32_992);
    expect(lengthToSet(16)).toBe(0);
  });

  it.each([
    [1, 8, 2],
    [1, 1, undefined],
    [8, 8, undefined],
  ])('%d rank and %d KV heads: %s ranks', (ranks, kvHeads, expected) => {
    expect(amountOf(ranksThatFit({ neededBytes: 8 * GIB, availableBytes: 4.1 * GIB, ranks, kvHeads }))).toBe(expected);
  });
});

describe('from an OOM line of PyTorch', () => {
  const line = { allocatedBytes: 71.45 * GIB, slackBytes: 1.67 * GIB, freeBytes: 3.81 * GIB, totalBytes: 79.2 * GIB };
  const own = { ownBytes: 75 * GIB };

  it.each([
    ['20 GiB wanted, 1.67 reserved and free to the allocator', { wantBytes: 20 * GIB }, 'shortage'],
    ['1 GiB wanted, 9 GiB reserved', { wantBytes: GIB, slackBytes: 9 * GIB, freeBytes: 0 }, 'fragmentation'],
    ['1 GiB wanted, 2 GiB reserved of 71', { wantBytes: GIB, slackBytes: 2 * GIB, freeBytes: 0 }, 'neither'],
    ['1 GiB wanted, 3.81 free', { wantBytes: GIB, slackBytes: 0 }, 'neither'],
    ['no figure for the reserve', { wantBytes: GIB, slackBytes: undefined }, 'unknown'],
  ])('%s', (_, part, kind) => {
    expect(readTorchLine({ ...line, ...own, ...part }).kind).toBe(kind);
  });

  it('tells others and what PyTorch does not own', () => {
    const account = readTorchLine({ ...line, ...own, wantBytes: GIB });

    expect((amountOf(account.others) ?? 0) / GIB).toBeCloseTo(0.39, 2);
    expect((amountOf(account.nonTorch) ?? 0) / GIB).toBeCloseTo(1.88, 2);
    expect(account.sharedGpu).toBe(false);
    expect(readTorchLine({ ...line, ownBytes: 40 * GIB, wantBytes: GIB }).sharedGpu).toBe(true);
    expect(readTorchLine({ ...line, ownBytes: undefined, wantBytes: GIB }).sharedGpu).toBeUndefined();
  });

  it('lowers by twice what is missing, at least 0.02, and 0.03 while serving', () => {
    const by = (wantBytes: number) => readTorchLine({ ...line, ...own, wantBytes }).lowerBy;

    expect(amountOf(by(4 * GIB))).toBe(0.02);
    expect(amountOf(by(7 * GIB))).toBeCloseTo(0.0806, 4);
    expect(amountOf(loweredUtilization(0.92, by(4 * GIB)))).toBe(0.89);
    expect(amountOf(loweredUtilization(0.92, by(7 * GIB)))).toBe(0.83);
    expect(amountOf(loweredUtilization(0.92, lacking('x')))).toBe(0.89);
    expect(loweredUtilization(undefined, by(GIB)).kind).toBe('unknown');
  });
});

describe('the fraction of SGLang', () => {
  it('goes down after a failure outside the pool, up where weights leave no memory', () => {
    expect(amountOf(sglangFractionAfter({ kind: 'outside-pool', fraction: 0.88 }))).toBe(0.83);
    expect(amountOf(sglangFractionAfter({ kind: 'no-memory-left', printedMinimum: 0.8312 }))).toBe(0.86);
  });
});
