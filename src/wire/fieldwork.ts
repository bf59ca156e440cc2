import type { ActingCluster, EngineCaller, EngineHistory, GpuSupply, PodGauges } from '../app/acting-ports.ts';
import type { RequestPools, WorkloadPods } from '../app/incident-ports.ts';
import type { Meters } from '../app/meter-ports.ts';
import type { Clock, Ids } from '../app/ports.ts';
import type { LoadReadings } from '../app/pressure-ports.ts';
import { createReadBudget } from '../app/read-budget.ts';
import type { ClusterAccess, InvestigateDeps } from '../app/triage/investigate.ts';
import type { Leases, PodWatch } from '../app/watch-ports.ts';
import { type ClusterConfig, type Config, prometheusOptions, readEnvironment, rightsOf } from '../config.ts';
import { connectCluster } from '../kubernetes/connect-cluster.ts';
import { createEngineCaller } from '../metrics/engine-caller.ts';
import { createEngineHistory } from '../metrics/engine-history.ts';
import { createEngineScrape, type ViaProxy } from '../metrics/engine-scrape.ts';
import { createLoadReadings } from '../metrics/load-readings.ts';
import { firstThatAnswers } from '../metrics/metrics-sources.ts';
import { createPodGauges } from '../metrics/pod-gauges.ts';
import { createPrometheusMetrics } from '../metrics/prometheus-metrics.ts';
import { firstGauges, firstHistory, scrapeEngineHistory, scrapePodGauges } from '../metrics/scrape-engine-history.ts';
import { buildSnapshot } from '../snapshot/build.ts';
import { createRedactor } from '../snapshot/redact.ts';
import { snapshotSource } from '../snapshot/source.ts';
import type { Knowledge } from './knowledge.ts';
import { VERSION } from './version.ts';

export type Fieldwork = {
  readonly deps: InvestigateDeps;
  /** The clusters in which changes are allowed. */
  readonly acting: ReadonlyMap<string, ActingCluster>;
  /** What engines have counted, where there is a source of metrics. */
  readonly history: ReadonlyMap<string, EngineHistory>;
  /** How full pods are, where there is a source of metrics. */
  readonly gauges: ReadonlyMap<string, PodGauges>;
  /** The pods of a workload as they are now. */
  readonly pods: ReadonlyMap<string, WorkloadPods>;
  /** How requests reach the pods of a workload. */
  readonly routes: ReadonlyMap<string, RequestPools>;
  /** Free GPUs, of clusters in which changes are allowed. */
  readonly supply: ReadonlyMap<string, GpuSupply>;
  readonly watches: ReadonlyMap<string, Watches>;
  /** Ways to ask engines, where configuration allows it. */
  readonly callers: ReadonlyMap<string, EngineCaller>;
  close(): Promise<void>;
};

/** How pods are watched, and who of several replicas does. */
type Watches = {
  readonly watch: PodWatch;
  readonly leases: Leases;
  readonly readings: LoadReadings | undefined;
};

type Tools = { readonly clock: Clock; readonly ids: Ids; readonly knowledge: Knowledge; readonly meters?: Meters };

/** Everything that reads clusters, by configuration. Connections are opened when first needed. */
export function wireFieldwork(config: Config, { clock, ids, knowledge, meters }: Tools): Fieldwork {
  const connected = config.clusters.map((cluster) => connect(cluster, { clock, verify: config.acting.verify }));
  const redactor = createRedactor({ patterns: config.redaction.patterns });
  const { deadlineSeconds, calls, logs, bytes, deepBytes } = config.limits;
  return {
    deps: {
      clusters: new Map(connected.map(({ name, access }) => [name, access])),
      defaultCluster: config.defaultCluster,
      rights: rightsOf(config),
      clock,
      ids,
      version: VERSION,
      deadlineMs: deadlineSeconds * 1000,
      budget: () =>
        createReadBudget({ calls, logCalls: logs, bytes, deepBytes }, (kind) =>
          meters?.count('oombot_api_calls_total', { kind }),
        ),
      scanner: knowledge.scanner,
      build: (parts) => buildSnapshot({ ...parts, redactor }),
      source: snapshotSource,
      diagnose: knowledge.diagnose,
    },
    acting: new Map(connected.flatMap(({ name, acting }) => (acting === undefined ? [] : [[name, acting]]))),
    supply: new Map(connected.map(({ name, supply }) => [name, supply])),
    pods: new Map(connected.map(({ name, pods }) => [name, pods])),
    routes: new Map(connected.map(({ name, routes }) => [name, routes])),
    history: new Map(connected.flatMap(({ name, history }) => (history === undefined ? [] : [[name, history]]))),
    gauges: new Map(connected.flatMap(({ name, gauges }) => (gauges === undefined ? [] : [[name, gauges]]))),
    watches: new Map(connected.map(({ name, watches }) => [name, watches])),
    callers: new Map(connected.flatMap(({ name, caller }) => (caller === undefined ? [] : [[name, caller]]))),
    async close() {
      await Promise.all(connected.map(({ close }) => close()));
    },
  };
}

type Connected = {
  readonly name: string;
  readonly access: ClusterAccess;
  readonly acting: ActingCluster | undefined;
  readonly supply: GpuSupply;
  readonly pods: WorkloadPods;
  readonly routes: RequestPools;
  readonly watches: Watches;
  readonly history: EngineHistory | undefined;
  readonly gauges: PodGauges | undefined;
  readonly caller: EngineCaller | undefined;
  close(): Promise<void>;
};

type With = { readonly clock: Clock; readonly verify: Config['acting']['verify'] };

function connect(config: ClusterConfig, { clock, verify }: With): Connected {
  const { name, namespaces, inCluster, kubeconfig, context } = config;
  const { cluster, viaProxy, proxyCaller, supply, pods, routes, watch, leases, acting, close } = connectCluster({
    name,
    namespaces,
    source: { inCluster, kubeconfig, context, environment: readEnvironment() },
    clock,
    acting: config.acting && { impersonate: config.acting.as },
  });
  const { metrics, history, gauges } = metricsOf(config, clock, viaProxy);
  const { probe, apiKeyFile } = verify;
  // Outside its cluster the address of a pod may be that of any host.
  const byIP = probe === 'pod-ip' && inCluster;
  const caller = probe === 'off' ? undefined : byIP ? createEngineCaller({ apiKeyFile }) : proxyCaller;
  return {
    name,
    access: { cluster, metrics },
    acting,
    supply,
    pods,
    routes,
    watches: { watch, leases, readings: readingsOf(config, clock) },
    history,
    gauges,
    caller,
    close,
  };
}

function readingsOf({ prometheus }: ClusterConfig, clock: Clock): LoadReadings | undefined {
  return prometheus && createLoadReadings({ ...prometheusOptions(prometheus), clock });
}

/** Prometheus first, then the engines' own pages, as far as configuration names them. */
function metricsOf(config: ClusterConfig, clock: Clock, viaProxy: ViaProxy) {
  const podIP = config.engineMetrics.podIP && config.inCluster;
  const proxy = config.engineMetrics.proxy ?? !config.inCluster;
  const options = config.prometheus && { ...prometheusOptions(config.prometheus), clock };
  const ofEngine = podIP || proxy ? { clock, podIP, viaProxy: proxy ? viaProxy : undefined } : undefined;
  const sources = [options && createPrometheusMetrics(options), ofEngine && createEngineScrape(ofEngine)].filter(
    (source) => source !== undefined,
  );
  const pasts = [options && createEngineHistory(options), ofEngine && scrapeEngineHistory(ofEngine)].filter(
    (source) => source !== undefined,
  );
  const shown = [options && createPodGauges(options), ofEngine && scrapePodGauges(ofEngine)].filter(
    (source) => source !== undefined,
  );
  return {
    metrics: firstThatAnswers(sources, clock),
    history: pasts.length === 0 ? undefined : firstHistory(pasts),
    gauges: shown.length === 0 ? undefined : firstGauges(shown),
  };
}
