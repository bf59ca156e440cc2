import { type Replica, type Severity, severityOf } from '../../model/severity.ts';
import { QUIET_USER } from '../../model/started-by.ts';
import type { Meters } from '../meter-ports.ts';
import type { Clock, Log } from '../ports.ts';
import type { WatchedPod, WatchHandler, WatchScope } from '../watch-ports.ts';
import { type Death, deathsOf } from './deaths.ts';
import type { Occurrence } from './intake.ts';
import { isPosted, type PostRule } from './is-posted.ts';

export type WatchedScope = WatchScope & PostRule;

export type NamespaceDeps = {
  readonly cluster: string;
  readonly scope: WatchedScope;
  /** The channel for a namespace that none owns. */
  readonly channel: string | undefined;
  readonly push: (deaths: readonly Occurrence[]) => void;
  readonly meters: Meters;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
};

export type NamespaceWatch = WatchHandler & { pods(): readonly WatchedPod[]; end(): void };

// What died longer before the watch began was not its business.
const LOOK_BACK_MS = 10 * 60_000;

/** Finds the deaths in what a watch tells. Keeps the last state of each pod of the scope, and nothing of those that are gone. */
export function createNamespaceWatch(deps: NamespaceDeps): NamespaceWatch {
  const { cluster, scope, meters, clock, log } = deps;
  const labels = { cluster, namespace: scope.namespace };
  const series = { ...labels, selector: scope.selector ?? '' };
  const sinceMs = clock.now() - LOOK_BACK_MS;
  let pods = new Map<string, WatchedPod>();
  const look = (pod: WatchedPod, before: WatchedPod | undefined) =>
    deathsOf(pod, before, { sinceMs, now: clock.now() });
  const push = (deaths: readonly Death[]): void => {
    if (deaths.length > 0) deps.push(deaths.map((death) => occurrenceOf(deps, death, [...pods.values()])));
  };
  meters.set('oombot_watch_last_event_timestamp_seconds', series, clock.now() / 1000);
  return {
    listed(all) {
      const before = pods;
      pods = new Map(all.map((pod) => [pod.uid, pod]));
      push(all.flatMap((pod) => look(pod, before.get(pod.uid))));
    },
    changed(pod) {
      const before = pods.get(pod.uid);
      pods.set(pod.uid, pod);
      push(look(pod, before));
    },
    gone: (pod) => void pods.delete(pod.uid),
    alive(connected, why) {
      if (connected) return meters.set('oombot_watch_last_event_timestamp_seconds', series, clock.now() / 1000);
      meters.count('oombot_watch_restarts_total', labels);
      log.warn('watch lost', { ...series, why });
    },
    pods: () => [...pods.values()],
    unreadable: () => meters.count('oombot_watch_unreadable_total', labels),
    end: () => meters.set('oombot_watch_last_event_timestamp_seconds', series, undefined),
  };
}

function occurrenceOf(deps: NamespaceDeps, { key, pod, reason, at }: Death, pods: readonly WatchedPod[]): Occurrence {
  const { cluster, scope, channel, clock } = deps;
  const severity = severityNow(pod, pods, clock.now());
  return {
    ...{ key, name: reason, cluster, namespace: pod.namespace, subject: pod.name, at, isOver: true, node: pod.node },
    user: isPosted(scope, severity, clock.now()) ? 'oombot/watch' : QUIET_USER,
    fallback: channel,
  };
}

// Pods that leave are replaced, and so are those that have failed: only the one that just did is a replica that is lost.
function severityNow(dead: WatchedPod, pods: readonly WatchedPod[], now: number): Severity {
  const replicas = pods.filter(
    ({ uid, owner, leaving, failed }) => owner === dead.owner && !leaving && (failed === undefined || uid === dead.uid),
  );
  return severityOf(replicas.map(replicaOf), now);
}

function replicaOf({ ready, createdAt, containers }: WatchedPod): Replica {
  const restarts = containers.flatMap(({ restarts, ended }) => (restarts > 0 ? [ended?.finishedAt ?? 0] : []));
  return { ready, createdAt, restartedAt: restarts.length === 0 ? undefined : Math.max(...restarts) };
}
