import { type Actor, authorise, type Rights, type Target, type Verb } from '../model/authorise.ts';
import type { Plan } from '../model/plan.ts';
import { PAGE, type Status } from '../report/status.ts';
import type { ActStore } from './acting-ports.ts';
import type { OutboxStore, RefusedMessage } from './outbox-ports.ts';
import type { MessageKind, Store } from './ports.ts';

export type StatusDeps = {
  readonly store: Pick<Store, 'openPlaces' | 'openIncidents'> & Pick<OutboxStore, 'refusedMessages'>;
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
  const refused = (await store.refusedMessages()).filter(isLasting(actor, new Set(open), plans));
  return { incidents, open: open.length, page, pages, runs, plans, refused, links, paused: await acts.paused() };
}

// A reminder is not wanted any more once its plan is decided. What a person was sent in the place of a channel is no other message.
function isLasting(actor: Actor, open: ReadonlySet<string>, plans: readonly Plan[]) {
  return ({ incidentId, kind }: RefusedMessage): boolean => {
    const [topic, id] = kind.split('/');
    if (topic === 'shift') return actor.place !== 'slack' || !actor.externallyShared;
    return open.has(incidentId) && topic !== 'refused' && (topic !== 'remind' || plans.some((plan) => plan.id === id));
  };
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
