import type { SnapshotSource } from '../../src/app/ports.ts';
import { changeSource } from '../../src/app/triage/changed-snapshot.ts';
import { diagnoseSource } from '../../src/app/triage/diagnose.ts';
import type { Diagnosed } from '../../src/app/triage/investigate.ts';
import { readFolder } from '../../src/folder/read-folder.ts';
import type { Edit } from '../../src/model/verdict.ts';
import { BOOK, CASES, COMPILED_SIGNATURES, judge, PLAYBOOKS } from './shipped.ts';

/** An incident as files, with what came of it. */
export type Met = Diagnosed & { readonly name: string; readonly source: SnapshotSource };

export async function met(name: string, source: SnapshotSource): Promise<Met> {
  return { name, source, ...(await diagnoseSource(source, { signatures: COMPILED_SIGNATURES, judge, book: BOOK })) };
}

/** Shipped incidents of raw files, as they are and with their changes: every `step`th. */
export async function metRaw(step: number): Promise<readonly Met[]> {
  const raw = CASES.flatMap(({ cases }) => cases)
    .filter(({ incident }) => incident !== undefined)
    .filter((_, i) => i % step === 0);
  const all = raw.map(async ({ name, incident, change }) => {
    if (incident === undefined) return [];
    const folder = await readFolder(`${PLAYBOOKS}/oom/incidents/${incident}`);
    return [await met(`${incident}: ${name}`, await changeSource(folder, change))];
  });
  return (await Promise.all(all)).flat();
}

/** What the profile that goes with a finding sets. */
export function profileOf({ diagnosis: { profile } }: Pick<Met, 'diagnosis'>): readonly Edit[] {
  return profile?.kind === 'fitted' ? profile.edits : [];
}
