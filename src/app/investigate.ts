import { type Actor, authorise, type Rights } from '../model/authorise.ts';
import { OomError } from '../model/errors.ts';
import type { Facts } from '../model/fact.ts';
import type { LogScanner } from '../model/log-reading.ts';
import type { Capture, NotRead, SeriesFile, Snapshot } from '../model/snapshot.ts';
import type { Diagnosis } from '../model/verdict.ts';
import type {
  Clock,
  Cluster,
  ClusterEvidence,
  Ids,
  Metrics,
  MetricsEvidence,
  PodCandidate,
  PodQuery,
  PodTarget,
  Progress,
  ReadBudget,
  ReadContext,
  SnapshotSource,
} from './ports.ts';

/** What was found out about one snapshot, with what the report needs beside the diagnosis. */
export type Finding = {
  readonly diagnosis: Diagnosis;
  readonly facts: Facts;
  readonly capture: Capture | undefined;
  readonly series: SeriesFile | undefined;
};

export type ClusterAccess = { readonly cluster: Cluster; readonly metrics: Metrics };

export type InvestigateDeps = {
  readonly clusters: ReadonlyMap<string, ClusterAccess>;
  readonly defaultCluster: string | undefined;
  readonly rights: Rights;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly version: string;
  readonly deadlineMs: number;
  readonly budget: () => ReadBudget;
  readonly scanner: () => LogScanner;
  readonly build: (input: { id: string; files: Readonly<Record<string, string>>; capture: Capture }) => Snapshot;
  readonly source: (snapshot: Snapshot) => SnapshotSource;
  readonly diagnose: (source: SnapshotSource) => Promise<Finding>;
};

export type InvestigateRequest = {
  readonly query: PodQuery;
  readonly actor: Actor;
  readonly progress: Progress;
  readonly signal?: AbortSignal;
  /** Called once the pod is found and may be read, before its evidence is. */
  readonly onFound?: (target: PodTarget) => Promise<void>;
};

export type Collected = {
  readonly kind: 'collected';
  readonly target: PodTarget;
  readonly snapshot: Snapshot;
  readonly evidence: 'full' | 'verdict-only';
};

/** Why there is nothing to diagnose: each is answered with words and the next step. */
export type Unresolved =
  | { readonly kind: 'ambiguous'; readonly candidates: readonly PodCandidate[]; readonly cluster: string }
  | {
      readonly kind: 'not-found';
      readonly nearest: readonly PodCandidate[];
      readonly searched: readonly string[];
      readonly cluster: string;
    }
  | {
      readonly kind: 'forbidden';
      readonly searched: readonly string[];
      readonly rule: string;
      readonly cluster: string;
    }
  | { readonly kind: 'refused'; readonly why: string; readonly next: string };

export type Investigation =
  | (Omit<Collected, 'kind'> & { readonly kind: 'done'; readonly finding: Finding })
  | Unresolved;

/** Pod name in, snapshot out: resolve, check the right to read, collect once, redact. Throws OomError where the cluster gives no answer. */
export async function collectSnapshot(
  deps: InvestigateDeps,
  request: InvestigateRequest,
): Promise<Collected | Unresolved> {
  const access = chooseCluster(deps, request.query.cluster);
  const startedAt = deps.clock.now();
  const budget = deps.budget();
  const context: ReadContext = {
    signal: deadline(deps.deadlineMs, request.signal),
    budget,
    progress: request.progress,
    agent: `oombot/${deps.version} (by ${request.actor.user})`,
  };
  const found = await resolvePermitted(deps, access.cluster, request, context);
  if (found.kind !== 'permitted') return found;
  await request.onFound?.(found.target);
  const { evidence, metrics } = await readAll(access, found.target, context, deps.scanner);
  const snapshot = deps.build({
    id: deps.ids.next('snap'),
    files: mergeFiles(evidence, metrics),
    capture: {
      version: deps.version,
      takenAt: startedAt,
      cluster: access.cluster.name,
      namespace: found.target.namespace,
      pod: found.target.pod,
      podUid: found.target.uid,
      container: evidence.container,
      workload: evidence.workload,
      replacedPod: found.target.replaced,
      logs: [...evidence.logs],
      notRead: mergeNotRead(evidence.notRead, metrics.notRead),
      cost: { ...budget.cost(), wallMs: deps.clock.now() - startedAt, chainMs: evidence.chainMs },
    },
  });
  return { kind: 'collected', target: found.target, snapshot, evidence: found.evidence };
}

/** The whole way from a pod name to a verdict. The verdict is made from the redacted snapshot alone. */
export async function investigate(deps: InvestigateDeps, request: InvestigateRequest): Promise<Investigation> {
  const collected = await collectSnapshot(deps, request);
  if (collected.kind !== 'collected') return collected;
  request.progress('judge', 'running');
  const finding = await deps.diagnose(deps.source(collected.snapshot));
  request.progress('judge', 'done');
  return { ...collected, kind: 'done', finding };
}

function chooseCluster(deps: InvestigateDeps, asked: string | undefined): ClusterAccess {
  const names = [...deps.clusters.keys()];
  const name = asked ?? deps.defaultCluster ?? (names.length === 1 ? names[0] : undefined);
  const access = name === undefined ? undefined : deps.clusters.get(name);
  if (access !== undefined) return access;
  if (names.length === 0) {
    throw new OomError('bad-config', 'No cluster is configured.', {
      next: 'Name one under `clusters` in the configuration, or point KUBECONFIG at one.',
    });
  }
  throw new OomError('bad-input', name === undefined ? 'Which cluster?' : `There is no cluster called ${name}.`, {
    next: `Put one of these in front: ${names.map((known) => `${known}/`).join(', ')}`,
  });
}

type Permitted = { readonly kind: 'permitted'; readonly target: PodTarget; readonly evidence: 'full' | 'verdict-only' };

// Names from namespaces that the asker may not read are not shown as candidates either.
async function resolvePermitted(
  deps: InvestigateDeps,
  cluster: Cluster,
  { query, actor, progress }: InvestigateRequest,
  context: ReadContext,
): Promise<Permitted | Unresolved> {
  const may = (namespace: string) => authorise(deps.rights, actor, 'triage', { cluster: cluster.name, namespace });
  if (query.namespace !== undefined) {
    const permission = may(query.namespace);
    if (permission.kind === 'refused') return permission;
  }
  progress('find-pod', 'running');
  const found = await cluster.resolve(query, context);
  progress('find-pod', found.kind === 'found' ? 'done' : 'failed');
  const readable = (list: readonly PodCandidate[]) => list.filter(({ namespace }) => may(namespace).kind === 'allowed');
  switch (found.kind) {
    case 'found': {
      const permission = may(found.target.namespace);
      if (permission.kind === 'refused') return permission;
      return { kind: 'permitted', target: found.target, evidence: permission.evidence };
    }
    case 'ambiguous':
      return { kind: 'ambiguous', candidates: readable(found.candidates), cluster: cluster.name };
    case 'not-found':
      return { ...found, nearest: readable(found.nearest), cluster: cluster.name };
    case 'forbidden':
      return { ...found, cluster: cluster.name };
  }
}

// Metrics need only the pod, so they are asked for while the logs are still coming.
async function readAll(access: ClusterAccess, target: PodTarget, context: ReadContext, scanner: () => LogScanner) {
  let metrics: Promise<MetricsEvidence> | undefined;
  const evidence = await access.cluster.collect(target, context, {
    scanner,
    onMetricsTarget: (metricsTarget) => {
      metrics ??= access.metrics.collect(metricsTarget, context);
    },
  });
  metrics ??= access.metrics.collect(evidence.metricsTarget, context);
  return { evidence, metrics: await metrics };
}

function mergeFiles(evidence: ClusterEvidence, metrics: MetricsEvidence): Record<string, string> {
  const files: Record<string, string> = { ...evidence.files };
  for (const [name, text] of Object.entries(metrics.files)) {
    const before = files[name];
    files[name] = before === undefined ? text : `${before.replace(/\n?$/, '\n')}${text}`;
  }
  return files;
}

function mergeNotRead(...lists: readonly (readonly NotRead[])[]): NotRead[] {
  return lists.flat();
}

function deadline(ms: number, outer: AbortSignal | undefined): AbortSignal {
  const own = AbortSignal.timeout(ms);
  return outer === undefined ? own : AbortSignal.any([own, outer]);
}
