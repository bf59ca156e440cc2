import { describe, expect, it } from 'vitest';
import { checkGeneratedSpecs } from './edit-property.ts';

describe('an edit of a generated container', () => {
  it('changes exactly the intended words, as an independent shell parser reads them', () => {
    const { literal, literalEdited } = checkGeneratedSpecs(500, 4);

    expect(literal).toBeGreaterThan(250);
    expect(literalEdited / literal).toBeGreaterThanOrEqual(0.95);
  });
});
