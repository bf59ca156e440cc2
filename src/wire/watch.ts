import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Intake } from '../app/automatic/intake.ts';
import { watchCluster } from '../app/automatic/watch-cluster.ts';
import type { Meters } from '../app/meter-ports.ts';
import type { Clock, Ids, Log } from '../app/ports.ts';
import type { ClusterConfig, Config } from '../config.ts';
import { OomError } from '../model/errors.ts';
import type { Fieldwork } from './fieldwork.ts';

type Parts = {
  readonly field: Pick<Fieldwork, 'watches' | 'deps'>;
  readonly intake: Intake;
  readonly meters: Meters;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

const OWN_NAMESPACE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/** Watches the clusters that the configuration wants watched. Throws OomError where a Lease has no namespace. */
export function openWatches(config: Config, parts: Parts): { stop(): Promise<void> } {
  // What `kubectl get lease` shows is the name of the pod.
  const holder = `${hostname()}_${parts.ids.next('bot')}`;
  const watched = config.clusters.flatMap((cluster) => {
    const { watch, name } = cluster;
    const edges = parts.field.watches.get(name);
    if (watch === undefined || edges === undefined) return [];
    const scopes = watch.pods.map((pod) => ({ ...pod, selector: pod.selector }));
    const leaseNamespace = leaseNamespaceOf(cluster);
    const { watch: pods, leases, readings } = edges;
    const load = readings && { readings, budget: parts.field.deps.budget };
    return [
      { ...parts, watch: pods, leases, load, cluster: name, scopes, channel: watch.channel, leaseNamespace, holder },
    ];
  });
  const running = watched.map(watchCluster);
  return {
    async stop() {
      await Promise.all(running.map(({ stop }) => stop()));
    },
  };
}

function leaseNamespaceOf({ watch, name }: ClusterConfig): string {
  if (watch?.leaseNamespace !== undefined) return watch.leaseNamespace;
  try {
    return readFileSync(OWN_NAMESPACE, 'utf8').trim();
  } catch (cause) {
    throw new OomError('bad-config', `The watch of cluster ${name} does not know the namespace of oombot.`, {
      next: 'Set `leaseNamespace` under `watch`.',
      cause,
    });
  }
}
