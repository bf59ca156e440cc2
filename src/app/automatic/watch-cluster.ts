import type { Meters } from '../meter-ports.ts';
import type { Clock, Log } from '../ports.ts';
import type { Leases, PodWatch } from '../watch-ports.ts';
import type { Intake } from './intake.ts';
import { startLeader, type Term } from './leader.ts';
import { createOccurrenceFeed } from './occurrence-feed.ts';
import { type LoadWatchDeps, type ScopePods, watchLoad } from './watch-load.ts';
import { createNamespaceWatch, type WatchedScope } from './watch-namespace.ts';

export type ClusterWatchDeps = {
  readonly cluster: string;
  readonly scopes: readonly WatchedScope[];
  /** The channel for namespaces that none owns. */
  readonly channel: string | undefined;
  readonly watch: PodWatch;
  /** How busy pods were, where there is a Prometheus. */
  readonly load?: Pick<LoadWatchDeps, 'readings' | 'budget'> | undefined;
  readonly leases: Leases;
  readonly leaseNamespace: string;
  /** Names this replica. */
  readonly holder: string;
  readonly intake: Intake;
  readonly meters: Meters;
  readonly clock: Clock;
  readonly log: Log;
};

const LEASE = 'oombot-watch';

/** Watches the pods of a cluster while this replica leads, and takes up each container that dies. */
export function watchCluster(deps: ClusterWatchDeps): { stop(): Promise<void> } {
  const { cluster, leases, leaseNamespace, holder, meters, clock, log } = deps;
  return startLeader({
    ...{ leases, clock, log },
    claim: { namespace: leaseNamespace, name: LEASE, holder },
    lead: (term) => watchAll(deps, term),
    onChange: (leads) => meters.set('oombot_watch_leader', { cluster }, Number(leads)),
  });
}

async function watchAll(deps: ClusterWatchDeps, term: Term): Promise<void> {
  const deaths = createOccurrenceFeed({ ...deps, term, by: 'oombot/watch', counter: 'oombot_deaths_total' });
  const scopes = deps.scopes.map((scope) => {
    const handler = createNamespaceWatch({ ...deps, scope, push: deaths.push });
    return { scope, handler, pods: handler.pods };
  });
  const watches = scopes.map(async ({ scope, handler }) => {
    try {
      await deps.watch.run(scope, handler, term.signal);
    } catch (error) {
      deps.log.error('watch ended', { error, namespace: scope.namespace });
    } finally {
      handler.end();
    }
  });
  await Promise.all([...watches, loadOf(deps, term, scopes)]);
  await deaths.settle();
}

async function loadOf(deps: ClusterWatchDeps, term: Term, scopes: readonly ScopePods[]): Promise<void> {
  if (deps.load === undefined) return;
  const feed = createOccurrenceFeed({ ...deps, term, by: 'oombot/pressure', counter: 'oombot_load_signals_total' });
  await watchLoad({ ...deps, ...deps.load, scopes, push: feed.push, term });
  await feed.settle();
}
