import fc from 'fast-check';
import { applyProfile } from '../../src/app/acting/plan/apply-profile.ts';
import { chooseEdits } from '../../src/app/acting/plan/choose-edits.ts';
import { readEngineEvidence } from '../../src/app/triage/diagnose.ts';
import type { Edit } from '../../src/model/verdict.ts';
import { type Met, met, metRaw, profileOf } from './raw-cards.ts';
import { aFigured } from './remedy-fits.ts';
import { aSnapshot, BOOK, COMPILED_SIGNATURES } from './shipped.ts';

/** Flags for which a card names more than one value. */
function twice({ name, diagnosis }: Met): string[] {
  const edits = [...diagnosis.verdict.remedies.flatMap((remedy) => remedy.edits), ...profileOf({ diagnosis })];
  return [...Map.groupBy(edits, ({ flag }) => flag)].flatMap(([flag, of]) => {
    const values = [...new Set(of.map(({ to }) => to))];
    return values.length > 1 ? [`${name}: ${diagnosis.verdict.finding}: ${flag} ${values.join(', ')}`] : [];
  });
}

/** What a plan of the profile that the card names sets otherwise than the card says. */
async function otherwise({ name, source, diagnosis }: Met): Promise<string[]> {
  const { profile, verdict } = diagnosis;
  if (profile?.kind !== 'fitted') return [];
  const request = { incidentId: 'x', action: undefined, values: [], replicas: undefined, toZero: false };
  const asked = { ...request, profile: profile.name as 'emergency' };
  const chosen = chooseEdits(diagnosis, asked);
  const engine = await readEngineEvidence(source, COMPILED_SIGNATURES, BOOK);
  const planned = chosen && applyProfile(chosen, { verdict, request: asked, engine, book: BOOK });
  const shown = (edits: readonly Edit[]) => edits.map(({ flag, to }) => `${flag} ${to}`).toSorted();
  const [set, told] = [planned?.kind === 'chosen' ? shown(planned.chosen.edits) : [], shown(profile.edits)];
  return set.join() === told.join() ? [] : [`${name}: ${verdict.finding}: ${told.join()} and not ${set.join()}`];
}

/** Flags for which a card, or the plan of its profile, holds two values: of every `step`th incident and `count` engines. */
export async function doubled({ step, count }: { readonly step: number; readonly count: number }): Promise<string[]> {
  const figured = fc.sample(aFigured, { numRuns: count, seed: 4241 });
  const all = [
    ...(await metRaw(step)),
    ...(await Promise.all(figured.map(({ name, files }) => met(name, aSnapshot(files))))),
  ];
  return [...all.flatMap(twice), ...(await Promise.all(all.map(otherwise))).flat()];
}
