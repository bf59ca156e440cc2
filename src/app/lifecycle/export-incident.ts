import { type Actor, authorise } from '../../model/authorise.ts';
import { OomError } from '../../model/errors.ts';
import type { Incident } from '../../model/incident.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { ExportedRun } from '../../report/post-mortem/changes-section.ts';
import { postMortem } from '../../report/post-mortem/post-mortem.ts';
import { EVIDENCE_ARCHIVE } from '../../report/thread.ts';
import type { ActStore } from '../acting-ports.ts';
import type { IncidentStore } from '../incident-ports.ts';
import type { Store } from '../ports.ts';
import { type FindDeps, findIncident } from './find-incident.ts';
import { type FixDeps, fixOf } from './permanent-fix.ts';

export type ExportDeps = FindDeps &
  Pick<FixDeps, 'source' | 'engine'> & {
    readonly store: FindDeps['store'] & Pick<Store, 'events' | 'snapshot'> & Pick<IncidentStore, 'feedback'>;
    readonly acts: Pick<ActStore, 'plansOf' | 'runsOf' | 'approvals' | 'changeOfRun'>;
    readonly redact: (text: string) => string;
  };

/** An incident as files; `snapshot` is undefined where the evidence was deleted. */
export type ExportedIncident = {
  readonly incident: Incident;
  readonly postMortem: string;
  readonly snapshot: Snapshot | undefined;
};

/** `export [incident]`: its post-mortem draft and newest evidence. Throws OomError: also in a channel that another organization reads. */
export async function exportIncident(deps: ExportDeps, actor: Actor, text: string): Promise<ExportedIncident> {
  const { store } = deps;
  const { incident, rest } = await findIncident(deps, { actor, verb: 'export' }, text);
  if (rest !== '') {
    throw new OomError('bad-input', `Unexpected “${rest.slice(0, 60)}” after the incident.`, {
      next: `Type \`${deps.commandName} export ${incident.id}\`.`,
    });
  }
  refuseShared(deps, actor, incident);
  const latest = (await store.findings(incident.id)).at(-1);
  const snapshot = latest && (await store.snapshot(latest.snapshotId));
  const draft = postMortem({
    incident,
    events: await store.events(incident.id),
    diagnosis: latest?.diagnosis,
    ...(snapshot === undefined || latest === undefined
      ? { facts: new Map(), fix: undefined }
      : await fixOf(latest.diagnosis, deps.source(snapshot), deps.engine)),
    files: snapshot && Object.keys(snapshot.files),
    ...(await actsOf(deps, incident.id)),
    feedback: (await store.feedback()).filter(({ incidentId }) => incidentId === incident.id),
    archive: EVIDENCE_ARCHIVE,
  });
  return { incident, postMortem: deps.redact(draft), snapshot };
}

function refuseShared({ rights, commandName }: ExportDeps, actor: Actor, incident: Incident): void {
  const permission = authorise(rights, actor, 'export', incident);
  if (permission.kind === 'allowed' && permission.evidence === 'full') return;
  throw new OomError('not-allowed', 'Not exported: this channel is shared with another organization.', {
    next: `Type \`${commandName} export ${incident.id}\` in an internal channel, or in a terminal: \`oom export ${incident.id} -o DIR\`.`,
  });
}

async function actsOf({ acts }: ExportDeps, incidentId: string) {
  const plans = (await acts.plansOf(incidentId)).toSorted((a, b) => a.proposedAt - b.proposedAt);
  const runs: ExportedRun[] = [];
  for (const run of await acts.runsOf(incidentId)) {
    const plan = plans.find(({ id }) => id === run.planId);
    if (plan === undefined) continue;
    runs.push({ run, plan, approvals: await acts.approvals(plan.id), change: await acts.changeOfRun(run.id) });
  }
  return { plans, runs: runs.toSorted((a, b) => a.run.startedAt - b.run.startedAt) };
}
