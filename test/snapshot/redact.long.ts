import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/snapshot/redact.ts';
import { SLOW_PIECES } from './slow-pieces.ts';

describe('a line of 5 MB', () => {
  it.each(SLOW_PIECES)('of %j is redacted in time', (piece) => {
    const line = piece.repeat(Math.ceil((5 * 1024 * 1024) / piece.length));
    const began = performance.now();

    createRedactor().redact(line);

    // The slowest took 2.2 s on one busy core.
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
