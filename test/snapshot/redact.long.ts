import { expect, it } from 'vitest';
import { createRedactor } from '../../src/snapshot/redact.ts';
import { FAR_FROM_QUADRATIC, growthWith } from '../growth.ts';
import { SLOW_PIECES } from './slow-pieces.ts';

const MIB = 1024 * 1024;

it.each(SLOW_PIECES)('a line of 1 MiB of %j costs time in step with its length', (piece) => {
  const line = piece.repeat(Math.ceil(MIB / piece.length));

  expect(growthWith(line, createRedactor().redact)).toBeLessThan(FAR_FROM_QUADRATIC);
});
