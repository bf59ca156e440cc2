import fc from 'fast-check';
import { describe, it } from 'vitest';
import { GIB } from '../../src/model/quantity.ts';
import { anyPart, checkFit, checkMoreMemory, runs } from './fit-property.ts';

describe('a fitted profile, whatever it was made from', () => {
  it('satisfies the start of its engine, follows the signature, and holds no nonsense', () => {
    fc.assert(fc.property(anyPart, checkFit), runs(400));
  });

  it('fits no less with more memory', () => {
    const known = anyPart.filter(({ figures, version }) => figures.totalBytes !== undefined && version !== undefined);
    const more = fc.double({ min: 0, max: 100, noNaN: true }).map((gib) => gib * GIB);

    fc.assert(fc.property(known, more, checkMoreMemory), runs(400));
  });
});
