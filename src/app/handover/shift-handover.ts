import { type Actor, authorise, type Rights, type Target } from '../../model/authorise.ts';
import type { Read, ReplicasNow, ShiftHandover } from '../../model/handover.ts';
import type { Incident } from '../../model/incident.ts';
import { bySeverity, severityOf } from '../../model/severity.ts';
import { silenceOf } from '../../model/silence.ts';
import { QUIET_USER } from '../../model/started-by.ts';
import type { ActStore } from '../acting-ports.ts';
import type { IncidentStore, WorkloadPods } from '../incident-ports.ts';
import type { LedgerStore } from '../ledger-ports.ts';
import type { Chat, ReadBudget, ReadContext, Store } from '../ports.ts';
import { readRecurrences } from './recurrences.ts';

export type ShiftDeps = {
  readonly store: Pick<Store, 'openPlaces' | 'openIncidents' | 'events' | 'messages'> &
    Pick<IncidentStore, 'incidentPlaces' | 'incidents' | 'silences'>;
  readonly acts: Pick<ActStore, 'now' | 'openPlans' | 'openRuns' | 'plansOf' | 'runsOf'>;
  readonly ledger: Pick<LedgerStore, 'openChanges'>;
  /** By cluster. */
  readonly pods: ReadonlyMap<string, WorkloadPods>;
  readonly budget: () => ReadBudget;
  readonly version: string;
  readonly rights: Rights;
  /** Absent where messages have no links. */
  readonly permalink?: Chat['permalink'] | undefined;
};

// Each costs up to three calls of the API server.
const MOST_READ = 20;
const READ_MS = 20_000;

/** What the places that this actor may read hand to the next shift. Throws OomError where the store does. */
export async function readShift(deps: ShiftDeps, actor: Actor, signal?: AbortSignal): Promise<ShiftHandover> {
  const { store, acts, ledger, rights } = deps;
  const at = await acts.now();
  const may = (place: Target): boolean => {
    const permission = authorise(rights, actor, 'handover', place);
    return permission.kind === 'allowed' && permission.evidence === 'full';
  };
  const inReach = ({ target: { cluster, object } }: { target: { cluster: string; object: { namespace: string } } }) =>
    may({ cluster, namespace: object.namespace });
  const silences = (await store.silences(at)).filter(may);
  const loud = (await store.openPlaces()).filter((place) => may(place) && silenceOf(silences, place) === undefined);
  const incidents = await store.openIncidents(loud.slice(0, MOST_READ).map(({ id }) => id));
  const open = await Promise.all(incidents.map((incident) => lookAt(deps, incident, { at, signal })));
  return {
    at,
    open: open.toSorted((a, b) => bySeverity(severityIn(a.replicas), severityIn(b.replicas))),
    moreOpen: Math.max(0, loud.length - MOST_READ),
    changes: (await ledger.openChanges()).filter(inReach),
    again: await readRecurrences(deps, incidents, at),
    plans: (await acts.openPlans(at)).filter(inReach),
    runs: (await acts.openRuns()).filter(inReach),
    silences,
  };
}

/** Whether there is anything that the next shift has to know. */
export function isQuiet({ open, changes, plans, runs }: ShiftHandover): boolean {
  return open.length + changes.length + plans.length + runs.length === 0;
}

type Moment = { readonly at: number; readonly signal: AbortSignal | undefined };

async function lookAt(deps: ShiftDeps, incident: Incident, moment: Moment): Promise<ShiftHandover['open'][number]> {
  const { store, permalink } = deps;
  const ref = (await store.messages(incident.id, 'card')).at(-1);
  const [replicas, link] = await Promise.all([readReplicas(deps, incident, moment), ref && permalink?.(ref)]);
  const quiet = ref === undefined && (await store.events(incident.id)).some(({ actor }) => actor === QUIET_USER);
  return { incident, replicas, link, quiet };
}

/** The replicas of the workload of an incident now. */
async function readReplicas(
  { pods, budget, version }: ShiftDeps,
  { cluster, namespace, workload, pod }: Incident,
  { at, signal = new AbortController().signal }: Moment,
): Promise<Read<ReplicasNow>> {
  const context: ReadContext = {
    signal: AbortSignal.any([signal, AbortSignal.timeout(READ_MS)]),
    budget: budget(),
    progress: () => undefined,
    agent: `oombot/${version} (shift handover)`,
  };
  const read = await pods.get(cluster)?.read({ namespace, workload, pod }, context);
  return replicasOf(read, at);
}

/** Replicas as they were read. */
export function replicasOf(
  read: Awaited<ReturnType<WorkloadPods['read']>> | undefined,
  now: number,
): Read<ReplicasNow> {
  if (read === undefined) return { kind: 'unknown', why: 'its cluster is not configured' };
  if (read.kind === 'unknown') return read;
  const { pods } = read;
  if (pods.length === 0) return { kind: 'unknown', why: 'no pods: scaled to 0, or deleted' };
  const ready = pods.filter((one) => one.ready).length;
  return { kind: 'read', value: { ready, all: pods.length, severity: severityOf(pods, now) } };
}

// What is not known may be the worst.
function severityIn(replicas: Read<ReplicasNow>): ReplicasNow['severity'] {
  return replicas.kind === 'read' ? replicas.value.severity : 'critical';
}
