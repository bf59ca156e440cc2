import type { Incident } from '../../model/incident.ts';
import { isEngineDead } from '../../report/words/dead-engine.ts';
import type { ActStore } from '../acting-ports.ts';
import type { IncidentStore, PodState, WorkloadPods } from '../incident-ports.ts';
import type { Clock, ReadBudget, ReadContext, Store } from '../ports.ts';
import { type ShowDeps, showClosed } from './show-state.ts';

export type QuietDeps = ShowDeps & {
  readonly store: ShowDeps['store'] &
    Pick<Store, 'openIncidents'> &
    Pick<IncidentStore, 'closeIncident' | 'closedSince'>;
  readonly acts: Pick<ActStore, 'openRuns'>;
  readonly clock: Pick<Clock, 'now'>;
  /** By cluster. */
  readonly pods: ReadonlyMap<string, WorkloadPods>;
  readonly budget: () => ReadBudget;
  readonly agent: string;
  /** 0 closes none. */
  readonly quietMs: number;
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
    const quiet = (await store.openIncidents()).filter(
      ({ id, lastSeenAt }) => clock.now() - lastSeenAt >= quietMs && !changing.has(id),
    );
    for (const incident of quiet) {
      if (stop.aborted) return;
      await closeIfWell(deps, incident, stop).catch((error: unknown) =>
        log.warn('quiet incident not judged', { error, incident: incident.id }),
      );
    }
  }
  for (const { id } of await store.closedSince(clock.now() - DAY_MS)) {
    if (stop.aborted) return;
    await showClosed(deps, id);
  }
}

async function closeIfWell(deps: QuietDeps, incident: Incident, stop: AbortSignal): Promise<void> {
  const { store, clock, quietMs, pods, log } = deps;
  const { cluster, namespace, pod, workload, id, lastSeenAt } = incident;
  const read = await pods.get(cluster)?.read({ namespace, pod, workload }, contextOf(deps, stop));
  if (read?.kind !== 'read') {
    log.info('quiet incident stays open', { incident: id, why: read?.why ?? 'its cluster is not configured' });
    return;
  }
  const since = clock.now() - quietMs;
  const isWell =
    read.pods.length > 0 && read.pods.every(({ ready, restartedAt }) => ready && (restartedAt ?? 0) < since);
  if (!isWell || (await isStillDead(deps, incident, read.pods))) return;
  const count = read.pods.length;
  const ready = count === 1 ? 'the pod is ready' : `all ${count} pods are ready`;
  const why = `no failure for ${hours(quietMs)}, ${ready}.`;
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
