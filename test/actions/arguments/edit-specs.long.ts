import { describe, expect, it } from 'vitest';
import type { Tally } from './spec-form.ts';
import { checkForm, FORMS, figuresOf, joinTallies, shareOf } from './spec-forms.ts';

const TOTAL = 10_000;
const tallies: Tally[] = [];

describe('edits of 10,000 generated specs', () => {
  it.each(FORMS)(
    'that hold a $name change exactly what was intended, and are made where it stands there literally',
    (form) => {
      const tally = checkForm(form, TOTAL, 4);
      tallies.push(tally);

      console.log(`${form.name}: ${figuresOf(tally)}`);
      if (form.isSure) expect(shareOf(tally), figuresOf(tally)).toBeGreaterThanOrEqual(0.95);
      else expect(tally.edited).toBe(0);
    },
    400_000,
  );

  it('are made for at least 95 % of those that hold the flag literally', () => {
    const all = joinTallies(tallies);

    console.log(`all: ${figuresOf(all)}`);
    expect(all.specs).toBe(TOTAL);
    expect(shareOf(all), figuresOf(all)).toBeGreaterThanOrEqual(0.95);
  });
});
