import { describe, expect, it } from 'vitest';
import { checkGeneratedSpecs } from './edit-property.ts';

describe('edits of 10,000 generated containers', () => {
  it('change exactly the intended words, and are made where the flag stands there literally', () => {
    const { specs, literal, literalEdited, edited, reasons } = checkGeneratedSpecs(10_000, 4);

    const share = literalEdited / literal;
    const counts = [...reasons].map(([reason, count]) => `${reason} ${count}`).join(', ');
    const figures = `${specs} specs, ${edited} edited; literal ${literalEdited} of ${literal} (${(share * 100).toFixed(2)} %); ${counts}`;
    expect(specs).toBe(10_000);
    expect(share, figures).toBeGreaterThanOrEqual(0.95);
    console.log(figures);
  }, 400_000);
});
