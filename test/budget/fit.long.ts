import fc from 'fast-check';
import { it } from 'vitest';
import { anyPart, checkFit, runs } from './fit-property.ts';

it('a fitted profile starts and follows the signature, 25,000 times', { timeout: 600_000 }, () => {
  fc.assert(fc.property(anyPart, checkFit), runs(25_000));
});
