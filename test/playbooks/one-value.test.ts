import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyProfile } from '../../src/app/acting/plan/apply-profile.ts';
import { chooseEdits } from '../../src/app/acting/plan/choose-edits.ts';
import { changeSource } from '../../src/app/change-source.ts';
import { diagnoseSource, readEngineEvidence } from '../../src/app/diagnose.ts';
import type { SnapshotSource } from '../../src/app/ports.ts';
import { readFolder } from '../../src/folder/read-folder.ts';
import type { Diagnosis, Edit } from '../../src/model/verdict.ts';
import { aFigured } from './remedy-fits.ts';
import { aSnapshot, BOOK, CASES, COMPILED_PHRASES, judge, PLAYBOOKS } from './shipped.ts';

const DEPS = { phrases: COMPILED_PHRASES, judge, book: BOOK };
const RAW = CASES.flatMap(({ cases }) => cases).flatMap(({ name, incident, change }) =>
  incident === undefined ? [] : [{ name: `${incident}: ${name}`, incident, change }],
);

type Met = { readonly name: string; readonly source: SnapshotSource; readonly diagnosis: Diagnosis };

async function met(name: string, source: SnapshotSource): Promise<Met> {
  return { name, source, diagnosis: (await diagnoseSource(source, DEPS)).diagnosis };
}

async function metRaw(): Promise<Met[]> {
  return Promise.all(
    RAW.map(async ({ name, incident, change }) =>
      met(name, await changeSource(await readFolder(`${PLAYBOOKS}/oom/incidents/${incident}`), change)),
    ),
  );
}

const profileOf = ({ profile }: Diagnosis): readonly Edit[] => (profile?.kind === 'fitted' ? profile.edits : []);

/** Flags for which a card names more than one value. */
function twice({ name, diagnosis }: Met): string[] {
  const edits = [...diagnosis.verdict.remedies.flatMap((remedy) => remedy.edits), ...profileOf(diagnosis)];
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
  const engine = await readEngineEvidence(source, COMPILED_PHRASES, BOOK);
  const planned = chosen && applyProfile(chosen, { verdict, request: asked, engine, book: BOOK });
  const shown = (edits: readonly Edit[]) => edits.map(({ flag, to }) => `${flag} ${to}`).toSorted();
  const [set, told] = [planned?.kind === 'chosen' ? shown(planned.chosen.edits) : [], shown(profile.edits)];
  return set.join() === told.join() ? [] : [`${name}: ${verdict.finding}: ${told.join()} and not ${set.join()}`];
}

describe('one value of a flag', () => {
  it('is on the card of every shipped incident, and in the plan of its profile', async () => {
    const all = await metRaw();

    expect(all.length).toBeGreaterThan(150);
    expect(all.filter(({ diagnosis }) => profileOf(diagnosis).length > 0).length).toBeGreaterThan(30);
    expect(all.flatMap(twice)).toEqual([]);
    expect((await Promise.all(all.map(otherwise))).flat()).toEqual([]);
  });

  it('is on the card of whatever engine printed its figures', async () => {
    const figured = fc.sample(aFigured, { numRuns: 100, seed: 4241 });
    const all = await Promise.all(figured.map(({ name, files }) => met(name, aSnapshot(files))));

    expect(all.filter(({ diagnosis }) => profileOf(diagnosis).length > 0).length).toBeGreaterThan(30);
    expect(all.flatMap(twice)).toEqual([]);
    expect((await Promise.all(all.map(otherwise))).flat()).toEqual([]);
  });
});
