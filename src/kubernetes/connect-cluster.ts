import type { ActingCluster, EngineCaller, GpuSupply } from '../app/acting-ports.ts';
import type { Clock, Cluster } from '../app/ports.ts';
import { createActingCluster } from './acting/create-acting-cluster.ts';
import { createProxyCaller } from './call-through-proxy.ts';
import { createCluster } from './create-cluster.ts';
import { createGpuSupply } from './create-gpu-supply.ts';
import { type CredentialSource, loadCredentials } from './credentials.ts';
import { createKubeHttp } from './http.ts';
import { createPodProxy, type PodProxy } from './pod-proxy.ts';
import { createSession } from './session.ts';

export type ConnectOptions = {
  readonly name: string;
  readonly namespaces: readonly string[];
  readonly source: CredentialSource;
  readonly clock: Clock;
  /** Given where acting is configured; `impersonate` is `system:serviceaccount:<namespace>:oombot-act`. */
  readonly acting?: { readonly impersonate?: string | undefined } | undefined;
};

/** A cluster with what hangs on its connection. `viaProxy` fits the engine scrape of the metrics edge. */
export type ConnectedCluster = {
  readonly cluster: Cluster;
  readonly viaProxy: PodProxy;
  readonly proxyCaller: EngineCaller;
  readonly supply: GpuSupply;
  readonly acting: ActingCluster | undefined;
  close(): Promise<void>;
};

/** A cluster by its credentials, which are loaded when first needed: a start without a cluster in reach is no fault. */
export function connectCluster({ name, namespaces, source, clock, acting }: ConnectOptions): ConnectedCluster {
  const session = createSession(() => loadCredentials(source), clock);
  const http = createKubeHttp({ session, clock });
  return {
    cluster: createCluster({ name, namespaces, http, clock }),
    viaProxy: createPodProxy(http),
    proxyCaller: createProxyCaller(http),
    supply: createGpuSupply(http),
    acting: acting && createActingCluster({ ...acting, clusterName: name, session, clock }),
    close: () => http.close(),
  };
}
