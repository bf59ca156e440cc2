import type { Clock, Cluster } from '../app/ports.ts';
import { collectEvidence } from './collect/collect-evidence.ts';
import type { KubeHttp } from './http.ts';
import { resolvePod } from './resolve/resolve-pod.ts';

export type ClusterOptions = {
  readonly name: string;
  /** Namespaces in which pods may be looked for; a name may end in `*`. */
  readonly namespaces: readonly string[];
  readonly http: KubeHttp;
  readonly clock: Clock;
};

/** One cluster behind its API server. Calls of one triage are bounded whatever the size of the cluster. */
export function createCluster(options: ClusterOptions): Cluster {
  const { name, namespaces, http, clock } = options;
  return {
    name,
    resolve: (query, context) => resolvePod({ cluster: name, namespaces, http }, query, context),
    collect: (target, context, how) => collectEvidence({ http, clock }, { target, context, options: how }),
  };
}
