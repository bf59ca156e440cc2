import { type Actor, authorise, type Rights } from '../model/authorise.ts';
import { OomError } from '../model/errors.ts';
import type { Incident } from '../model/incident.ts';
import type { Store, StoredFinding } from './ports.ts';

export type IncidentDeps = { readonly store: Store; readonly rights: Rights };

/** Open incidents that the actor may read, the one seen last first. */
export async function listOpen(deps: IncidentDeps, actor: Actor): Promise<readonly Incident[]> {
  const all = await deps.store.openIncidents();
  return all.filter((incident) => authorise(deps.rights, actor, 'status', incident).kind === 'allowed');
}

export type Explained = {
  readonly incident: Incident;
  readonly latest: StoredFinding;
  readonly evidence: 'full' | 'verdict-only';
};

/** The newest finding of an incident. What may not be read is answered like what is not there, so that ids tell nothing. */
export async function explainIncident(deps: IncidentDeps, actor: Actor, id: string): Promise<Explained> {
  const incident = await deps.store.incident(id);
  const permission = incident && authorise(deps.rights, actor, 'explain', incident);
  const latest = incident && (await deps.store.findings(incident.id)).at(-1);
  if (incident === undefined || permission?.kind !== 'allowed' || latest === undefined) {
    throw new OomError('not-found', `There is no incident ${id} that can be read here.`, {
      next: 'See `status` for those that are open.',
    });
  }
  return { incident, latest, evidence: permission.evidence };
}
