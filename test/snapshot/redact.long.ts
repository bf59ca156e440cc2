import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/snapshot/redact.ts';
import { FAR_FROM_QUADRATIC, growthWith } from '../growth.ts';
import { SLOW_PIECES } from './slow-pieces.ts';

const MIB = 1024 * 1024;

describe('a line of 1 MiB', () => {
  it.each(SLOW_PIECES)('of %j costs time in step with its length', (piece) => {
    const line = piece.repeat(Math.ceil(MIB / piece.length));

    expect(growthWith(line, createRedactor().redact)).toBeLessThan(FAR_FROM_QUADRATIC);
  });
});
