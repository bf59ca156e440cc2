import { type Actor, authorise, type Rights, type Target, type Verb } from '../model/authorise.ts';
import { OomError } from '../model/errors.ts';
import type { Incident } from '../model/incident.ts';
import type { Plan } from '../model/plan.ts';
import { PAGE, type Status } from '../report/status.ts';
import type { ActStore } from './acting-ports.ts';
import { wrongKindOfId } from './id-kinds.ts';
import type { MessageKind, Store, StoredFinding } from './ports.ts';

type IncidentDeps = {
  readonly store: Pick<Store, 'incident' | 'findings'>;
  readonly rights: Rights;
  /** The remedy that is never offered whose name is most like a word. */
  readonly topicNear?: (word: string) => string | undefined;
};

export type StatusDeps = {
  readonly store: Pick<Store, 'openPlaces' | 'openIncidents'>;
  readonly acts: Pick<ActStore, 'now' | 'openRuns' | 'openPlans' | 'paused'>;
  readonly rights: Rights;
  /** The link to a message of an incident; none if nothing is linked. */
  readonly linkTo?: ((incidentId: string, kind: MessageKind) => Promise<string | undefined>) | undefined;
};

type StatusAsk = {
  readonly by?: readonly Verb[];
  /** The text after the word: a page number. */
  readonly rest?: string;
};

/** One page of the open incidents, the last seen first, and active runs, where the actor has one of the rights; and whether acting is paused. */
export async function readStatus(
  { store, acts, rights, linkTo }: StatusDeps,
  actor: Actor,
  { by = ['status'], rest = '' }: StatusAsk = {},
): Promise<Status> {
  const may = (place: Target): boolean => by.some((verb) => authorise(rights, actor, verb, place).kind === 'allowed');
  const open = (await store.openPlaces()).filter(may).map(({ id }) => id);
  const pages = Math.max(1, Math.ceil(open.length / PAGE));
  const page = Math.min(pages, Number(/^[1-9]\d{0,5}$/.exec(rest.trim())?.[0] ?? 1));
  const incidents = await store.openIncidents(open.slice((page - 1) * PAGE, page * PAGE));
  const inReach = ({ target: { cluster, object } }: Pick<Plan, 'target'>) => may({ cluster, ...object });
  const runs = (await acts.openRuns()).filter(inReach);
  const plans = (await acts.openPlans(await acts.now())).filter(inReach);
  const links = linkTo === undefined ? new Map() : await readLinks(linkTo, { incidents, runs, plans });
  return { incidents, open: open.length, page, pages, runs, plans, links, paused: await acts.paused() };
}

async function readLinks(
  linkTo: NonNullable<StatusDeps['linkTo']>,
  { incidents, runs, plans }: Pick<Status, 'incidents' | 'runs' | 'plans'>,
): Promise<Map<string, string>> {
  const wanted = [
    ...incidents.map(({ id }) => ({ id, incidentId: id, kind: 'card' as const })),
    ...runs.map(({ id, incidentId, planId }) => ({ id, incidentId, kind: `plan/${planId}` as const })),
    ...plans.map(({ id, incidentId }) => ({ id, incidentId, kind: `plan/${id}` as const })),
  ];
  const found = await Promise.all(
    wanted.map(async ({ id, incidentId, kind }) => [id, await linkTo(incidentId, kind)] as const),
  );
  return new Map(found.flatMap(([id, url]) => (url === undefined ? [] : [[id, url] as const])));
}

type Explained = {
  readonly incident: Incident;
  readonly latest: StoredFinding;
  readonly evidence: 'full' | 'verdict-only';
};

/** The newest finding of an incident. An unreadable incident is answered like a missing one, so that ids reveal nothing. */
export async function explainIncident(deps: IncidentDeps, actor: Actor, id: string): Promise<Explained> {
  const other = wrongKindOfId(id, { wanted: 'incident' });
  if (other !== undefined) throw new OomError('bad-input', other.says, { next: other.next });
  const incident = await deps.store.incident(id);
  const permission = incident && authorise(deps.rights, actor, 'explain', incident);
  const latest = incident && (await deps.store.findings(incident.id)).at(-1);
  if (incident === undefined || permission?.kind !== 'allowed' || latest === undefined) {
    throw new OomError('not-found', `No incident ${id} that you can read here.`, {
      next: `\`status\` lists the open ones. ${topicWords(deps.topicNear?.(id))}`,
    });
  }
  return { incident, latest, evidence: permission.evidence };
}

function topicWords(near: string | undefined): string {
  return near === undefined ? '`explain topics` lists settings and fixes.' : `Did you mean \`explain ${near}\`?`;
}
