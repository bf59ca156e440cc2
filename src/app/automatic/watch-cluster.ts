import type { Meters } from '../meter-ports.ts';
import type { Clock, Log } from '../ports.ts';
import type { Leases, PodWatch } from '../watch-ports.ts';
import { createDeathFeed } from './death-feed.ts';
import type { Intake } from './intake.ts';
import { startLeader, type Term } from './leader.ts';
import { createNamespaceWatch, type WatchedScope } from './watch-namespace.ts';

export type ClusterWatchDeps = {
  readonly cluster: string;
  readonly scopes: readonly WatchedScope[];
  /** The channel for namespaces that none owns. */
  readonly channel: string | undefined;
  readonly watch: PodWatch;
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
  const feed = createDeathFeed({ ...deps, term });
  const watches = deps.scopes.map(async (scope) => {
    const handler = createNamespaceWatch({ ...deps, scope, push: feed.push });
    try {
      await deps.watch.run(scope, handler, term.signal);
    } catch (error) {
      deps.log.error('watch ended', { error, namespace: scope.namespace });
    } finally {
      handler.end();
    }
  });
  await Promise.all(watches);
  await feed.settle();
}
