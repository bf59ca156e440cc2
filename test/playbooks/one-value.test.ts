import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyProfile } from '../../src/app/acting/plan/apply-profile.ts';
import { chooseEdits } from '../../src/app/acting/plan/choose-edits.ts';
import { readEngineEvidence } from '../../src/app/triage/diagnose.ts';
import type { Edit } from '../../src/model/verdict.ts';
import { doubled } from './one-value.ts';
import type { Met } from './raw-cards.ts';
import { met, metRaw, profileOf } from './raw-cards.ts';
import { aFigured } from './remedy-fits.ts';
import { aSnapshot, BOOK, COMPILED_PHRASES } from './shipped.ts';

it('a card and the plan of its profile have one value of a flag', async () => {
  expect(await doubled({ step: 8, count: 10 })).toEqual([]);
});
