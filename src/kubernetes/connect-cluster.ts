import type { ActingCluster, EngineCaller, GpuSupply } from '../app/acting-ports.ts';
import type { RequestPools, WorkloadPods } from '../app/incident-ports.ts';
import type { Clock, Cluster } from '../app/ports.ts';
import type { Leases, PodWatch } from '../app/watch-ports.ts';
import { createActingCluster } from './acting/acting-cluster.ts';
import { type CredentialSource, loadCredentials } from './api/credentials.ts';
import { createKubeHttp, type KubeHttp } from './api/http.ts';
import { createSession } from './api/session.ts';
import { collectEvidence } from './collect/collect-evidence.ts';
import { createGpuSupply } from './gpu-supply.ts';
import { createPodProxy, createProxyCaller, type PodProxy } from './pod-proxy.ts';
import { createRequestPools } from './request-pools.ts';
import { resolvePod } from './resolve/resolve-pod.ts';
import { createLeases } from './watch/lease.ts';
import { createPodWatch } from './watch/pod-watch.ts';
import { createWorkloadPods } from './workload-pods.ts';

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
  readonly pods: WorkloadPods;
  readonly routes: RequestPools;
  readonly acting: ActingCluster | undefined;
  readonly watch: PodWatch;
  readonly leases: Leases;
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
    pods: createWorkloadPods(http, clock),
    routes: createRequestPools(http),
    acting: acting && createActingCluster({ ...acting, clusterName: name, session, clock }),
    watch: createPodWatch({ http, clock }),
    leases: createLeases({ session, clock }),
    close: () => http.close(),
  };
}

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
