import { describe, expect, it } from 'vitest';
import type { Tally } from './spec-form.ts';
import { checkForm, FORMS, figuresOf, joinTallies, shareOf } from './spec-forms.ts';

const TOTAL = 500;
const tallies: Tally[] = [];

describe('an edit of a generated spec', () => {
  it.each(FORMS)('that holds a $name changes exactly what was intended, as its own oracle reads it', (form) => {
    const tally = checkForm(form, TOTAL, 4);
    tallies.push(tally);

    expect(tally.specs).toBe((form.share * TOTAL) / 100);
    expect(tally.literal).toBeGreaterThan(0);
    // Few of each here; the full size holds every form to 95 %.
    if (form.isSure) expect(shareOf(tally), figuresOf(tally)).toBeGreaterThanOrEqual(0.9);
    else expect(tally.edited).toBe(0);
  });

  it('is made for at least 95 % of those that hold the flag literally', () => {
    const all = joinTallies(tallies);

    expect(all.specs).toBe(TOTAL);
    expect(shareOf(all), figuresOf(all)).toBeGreaterThanOrEqual(0.95);
  });
});
