import type { Alert } from '../../model/alert.ts';
import type { AutomaticUser } from '../../model/started-by.ts';
import type { AlertStore } from '../alert-ports.ts';
import type { Meters } from '../meter-ports.ts';
import type { Clock, Log } from '../ports.ts';
import type { Intake, Occurrence, Taken } from './intake.ts';

export type AlertDeps = {
  readonly intake: Intake;
  readonly store: Pick<AlertStore, 'resolveAlerts'>;
  /** The names of the configured clusters, and the one that an alert without one is about. */
  readonly clusters: readonly string[];
  readonly defaultCluster: string | undefined;
  /** Where findings of a namespace go that no channel owns. */
  readonly channel: string | undefined;
  readonly meters: Meters;
  readonly clock: Clock;
  readonly log: Log;
};

/** What became of an alert, as `oombot_alerts_total` counts it. */
type Result = Taken | 'resolved' | 'not-firing' | 'unknown-cluster';

const USER: AutomaticUser = 'oombot/alert';

/** Takes up alerts as Alertmanager sends them. Rejects where the store fails: Alertmanager sends them again. */
export async function takeAlerts(deps: AlertDeps, alerts: readonly Alert[]): Promise<void> {
  const resolved = alerts.filter(({ status }) => status === 'resolved');
  const occurrences = alerts.flatMap((alert): Occurrence[] => {
    if (alert.status !== 'firing') return [];
    const occurrence = occurrenceOf(deps, alert);
    if (typeof occurrence !== 'string') return [occurrence];
    tally(deps, occurrence);
    deps.log.info('not taken up', { name: alert.name, why: occurrence });
    return [];
  });
  for (const taken of await deps.intake.take(occurrences, USER)) tally(deps, taken);
  const ended = await deps.store.resolveAlerts(resolved, deps.clock.now());
  tally(deps, 'resolved', ended.length);
  tally(deps, 'not-firing', resolved.length - ended.length);
}

function tally({ meters }: AlertDeps, result: Result, by = 1): void {
  if (by > 0) meters.count('oombot_alerts_total', { result }, by);
}

function occurrenceOf(deps: AlertDeps, { key, name, labels, startsAt }: Alert): Occurrence | Result {
  const namespace = labels.namespace ?? labels.exported_namespace;
  const subject = labels.pod ?? labels.exported_pod ?? labels.workload;
  const cluster = labels.cluster ?? deps.defaultCluster;
  if (!namespace || !subject) return 'no-target';
  if (cluster === undefined || !deps.clusters.includes(cluster)) return 'unknown-cluster';
  const rest = { at: startsAt, isOver: false, user: USER, fallback: deps.channel };
  return { key, name, cluster, namespace, subject, ...rest };
}
