import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { summedState } from '../../src/app/budget/budget.ts';
import { startWith } from '../../src/app/budget/profile-with-finding.ts';
import { readEngineEvidence } from '../../src/app/triage/diagnose.ts';
import { parseQuantity } from '../../src/model/quantity.ts';
import type { Offer } from '../../src/playbook/compiled.ts';
import { fill } from '../../src/playbook/fill.ts';
import { nextItems } from '../../src/report/words/confidence.ts';
import { notHeld } from './offered-holds.ts';
import type { Met } from './raw-cards.ts';
import { met, metRaw, profileOf } from './raw-cards.ts';
import { aFigured } from './remedy-fits.ts';
import { aSnapshot, BOOK, COMPILED, COMPILED_PHRASES } from './shipped.ts';

it('what a card offers starts, fits on the node, and is not taken back by another line', async () => {
  expect(await notHeld({ step: 6, count: 10 })).toEqual([]);
});
