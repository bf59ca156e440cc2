import { type FixInput, permanentFix } from '../../actions/permanent/permanent-fix.ts';
import { type Actor, authorise } from '../../model/authorise.ts';
import { Autoscalers } from '../../model/autoscalers.ts';
import { OomError } from '../../model/errors.ts';
import { OwnersFile, parseJsonFile } from '../../model/json-file.ts';
import { IncidentFile, SeriesFile, type Snapshot } from '../../model/snapshot.ts';
import type { Diagnosis } from '../../model/verdict.ts';
import { amplifiersOf } from '../../report/card/amplifiers.ts';
import type { ExplainedFix } from '../../report/permanent-fix.ts';
import type { EngineEvidence } from '../budget/budget.ts';
import type { SnapshotSource, Store } from '../ports.ts';
import { type FindDeps, findIncident } from './find-incident.ts';

export type FixDeps = FindDeps & {
  readonly store: FindDeps['store'] & Pick<Store, 'snapshot'>;
  readonly source: (snapshot: Snapshot) => SnapshotSource;
  readonly engine: (source: SnapshotSource) => Promise<EngineEvidence>;
};

/** `fix [incident]`: its permanent fix as text and patches. Throws OomError: also in a channel that another organization reads. */
export async function fixIncident(deps: FixDeps, actor: Actor, text: string): Promise<ExplainedFix> {
  const { store, commandName } = deps;
  const { incident, rest } = await findIncident(deps, { actor, verb: 'fix' }, text);
  if (rest !== '') {
    throw new OomError('bad-input', `Unexpected “${rest.slice(0, 60)}” after the incident.`, {
      next: `Type \`${commandName} fix ${incident.id}\`.`,
    });
  }
  const permission = authorise(deps.rights, actor, 'fix', incident);
  if (permission.kind !== 'allowed' || permission.evidence !== 'full') {
    throw new OomError('not-allowed', 'This channel is shared with another organization, so manifests are not shown.', {
      next: `Type \`${commandName} fix ${incident.id}\` in an internal channel.`,
    });
  }
  const latest = (await store.findings(incident.id)).at(-1);
  if (latest === undefined) {
    throw new OomError('not-found', `The findings of ${incident.id} were deleted.`, { next: 'Triage the pod again.' });
  }
  const snapshot = await store.snapshot(latest.snapshotId);
  const named = { subject: `${incident.namespace}/${incident.workload}`, typed: incident.id };
  if (snapshot === undefined) return { ...named, diagnosis: latest.diagnosis, facts: new Map(), fix: undefined };
  return { ...named, ...(await fixOf(latest.diagnosis, deps.source(snapshot), deps.engine)) };
}

/** The permanent fix of a finding from the evidence it was made from. */
export async function fixOf(
  diagnosis: Diagnosis,
  source: SnapshotSource,
  engine: FixDeps['engine'],
): Promise<Omit<ExplainedFix, 'subject' | 'typed'>> {
  const { facts, start } = await engine(source);
  const { verdict } = diagnosis;
  const factors = amplifiersOf(facts, verdict).map(({ fact }) => fact);
  const input: FixInput = { verdict, facts, factors, start, ...(await objectsOf(source)) };
  return { diagnosis, facts, fix: permanentFix(input) };
}

type Objects = Omit<FixInput, 'verdict' | 'facts' | 'factors' | 'start'>;

async function objectsOf(source: SnapshotSource): Promise<Objects> {
  const names = new Set(await source.list());
  const read = async (name: string) => (names.has(name) ? source.read(name) : '');
  const owners = parseJsonFile(OwnersFile, await read('owners.json'));
  const incident = parseJsonFile(IncidentFile, await read('incident.json'));
  const scaling = parseJsonFile(Autoscalers, await read('autoscalers.json'));
  const series = parseJsonFile(SeriesFile, await read('series.json'));
  const { hpas = [], scaledObjects = [] } = scaling.kind === 'value' ? scaling.value : {};
  return {
    owners: owners.kind === 'value' ? owners.value.map(({ value }) => value) : [],
    pod: jsonOf(await read('pod.json')),
    container: (incident.kind === 'value' ? incident.value.capture?.container : undefined) ?? null,
    ...{ hpas, scaledObjects, series: series.kind === 'value' ? series.value : undefined },
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
