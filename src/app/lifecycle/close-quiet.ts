import type { Incident } from '../../model/incident.ts';
import { isEngineDead } from '../../report/words/dead-engine.ts';
import type { ActStore } from '../acting-ports.ts';
import type { AlertStore, IncidentAlert } from '../alert-ports.ts';
import type { IncidentStore, PodState, WorkloadPods } from '../incident-ports.ts';
import type { Clock, ReadBudget, ReadContext, Store } from '../ports.ts';
import { type ShowDeps, showClosed } from './show-state.ts';

export type QuietDeps = ShowDeps & {
  readonly store: ShowDeps['store'] &
    Pick<Store, 'openIncidents'> &
    Pick<IncidentStore, 'closeIncident' | 'closedSince'> &
    Pick<AlertStore, 'incidentAlerts'>;
  readonly acts: Pick<ActStore, 'openRuns'>;
  readonly clock: Pick<Clock, 'now'>;
  /** By cluster. */
  readonly pods: ReadonlyMap<string, WorkloadPods>;
  readonly budget: () => ReadBudget;
  readonly agent: string;
  /** 0 closes none. */
  readonly quietMs: number;
  /** The same once all alerts of the incident are resolved, if that is less. */
  readonly resolvedMs: number;
};

const DAY_MS = 24 * 60 * 60_000;
const READ_MS = 20_000;
const NEVER = new AbortController().signal;

/**
 * Closes open incidents that were not seen for the quiet period and whose pods are all ready, and shows closings that were
 * not shown yet, whoever made them. All it goes by is in the store, so a restart loses nothing; of several replicas one closes.
 */
export async function closeQuietIncidents(deps: QuietDeps, stop: AbortSignal = NEVER): Promise<void> {
  const { store, acts, clock, quietMs, log } = deps;
  if (quietMs > 0) {
    const changing = new Set((await acts.openRuns()).map(({ incidentId }) => incidentId));
    const alerts = Map.groupBy(await store.incidentAlerts(), ({ incidentId }) => incidentId);
    for (const incident of await store.openIncidents()) {
      if (stop.aborted) return;
      const forMs = quietTime(deps, incident, alerts.get(incident.id) ?? []);
      if (forMs === undefined || changing.has(incident.id)) continue;
      await closeIfWell(deps, incident, forMs, stop).catch((error: unknown) =>
        log.warn('quiet incident not judged', { error, incident: incident.id }),
      );
    }
  }
  for (const { id } of await store.closedSince(clock.now() - DAY_MS)) {
    if (stop.aborted) return;
    await showClosed(deps, id);
  }
}

// Alertmanager repeats what fires: an alert that it has not sent for longer is one whose end got lost.
const FORGOTTEN_MS = DAY_MS;

// How long an incident has to be quiet, if it was for that long. With all of its alerts resolved that is less.
function quietTime(
  { clock, quietMs, resolvedMs }: QuietDeps,
  { lastSeenAt }: Incident,
  alerts: readonly IncidentAlert[],
): number | undefined {
  const now = clock.now();
  const firing = alerts.filter(({ resolvedAt }) => resolvedAt === null);
  if (firing.some(({ seenAt }) => now - seenAt < FORGOTTEN_MS)) return undefined;
  const isResolved = alerts.length > 0 && firing.length === 0;
  const forMs = isResolved ? Math.min(resolvedMs, quietMs) : quietMs;
  const last = Math.max(lastSeenAt, ...alerts.map(({ resolvedAt }) => resolvedAt ?? 0));
  return now - last >= forMs ? forMs : undefined;
}

async function closeIfWell(deps: QuietDeps, incident: Incident, forMs: number, stop: AbortSignal): Promise<void> {
  const { store, clock, pods, log } = deps;
  const { cluster, namespace, pod, workload, id, lastSeenAt } = incident;
  const read = await pods.get(cluster)?.read({ namespace, pod, workload }, contextOf(deps, stop));
  if (read?.kind !== 'read') {
    log.info('quiet incident stays open', { incident: id, why: read?.why ?? 'its cluster is not configured' });
    return;
  }
  const since = clock.now() - forMs;
  const isWell =
    read.pods.length > 0 && read.pods.every(({ ready, restartedAt }) => ready && (restartedAt ?? 0) < since);
  if (!isWell || (await isStillDead(deps, incident, read.pods))) return;
  const count = read.pods.length;
  const ready = count === 1 ? 'the pod is ready' : `all ${count} pods are ready`;
  const why = `no failure for ${hours(forMs)}, ${ready}.`;
  // Of two replicas, or a triage meanwhile, the first one counts.
  await store.closeIncident(id, { actor: 'oombot', why, at: clock.now(), seenAt: lastSeenAt });
}

// A dead engine behind a Ready pod looks well from outside until that pod is restarted or replaced.
async function isStillDead(
  { store, source, diagnose }: QuietDeps,
  { id, pod, lastSeenAt }: Incident,
  pods: readonly PodState[],
): Promise<boolean> {
  const same = pods.find(({ name }) => name === pod);
  if (same === undefined || Math.max(same.createdAt, same.restartedAt ?? 0) > lastSeenAt) return false;
  const latest = (await store.findings(id)).at(-1);
  const snapshot = latest && (await store.snapshot(latest.snapshotId));
  if (latest === undefined || snapshot === undefined) return false;
  return isEngineDead((await diagnose(source(snapshot))).facts);
}

function contextOf({ budget, agent }: QuietDeps, stop: AbortSignal): ReadContext {
  return {
    signal: AbortSignal.any([stop, AbortSignal.timeout(READ_MS)]),
    budget: budget(),
    progress: () => undefined,
    agent,
  };
}

function hours(ms: number): string {
  const count = Math.round((ms / 3_600_000) * 10) / 10;
  return `${count} ${count === 1 ? 'hour' : 'hours'}`;
}
