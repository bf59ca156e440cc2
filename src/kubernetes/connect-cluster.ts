import type { Clock, Cluster } from '../app/ports.ts';
import { createCluster } from './create-cluster.ts';
import { type CredentialSource, loadCredentials } from './credentials.ts';
import { createKubeHttp } from './http.ts';
import { createPodProxy, type PodProxy } from './pod-proxy.ts';

export type ConnectOptions = {
  readonly name: string;
  readonly namespaces: readonly string[];
  readonly source: CredentialSource;
  readonly clock: Clock;
};

/** A cluster with what hangs on its connection. `viaProxy` fits the engine scrape of the metrics edge. */
export type ConnectedCluster = { readonly cluster: Cluster; readonly viaProxy: PodProxy; close(): Promise<void> };

/** A cluster by its credentials, which are loaded when first needed: a start without a cluster in reach is no fault. */
export function connectCluster({ name, namespaces, source, clock }: ConnectOptions): ConnectedCluster {
  const http = createKubeHttp({ credentials: () => loadCredentials(source), clock });
  return {
    cluster: createCluster({ name, namespaces, http, clock }),
    viaProxy: createPodProxy(http),
    close: () => http.close(),
  };
}
