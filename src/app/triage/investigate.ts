import { type Actor, authorise, type Rights } from '../../model/authorise.ts';
import { type ErrorCode, OomError } from '../../model/errors.ts';
import type { Facts } from '../../model/fact.ts';
import type { CauseFinder } from '../../model/log-reading.ts';
import type { Capture, SeriesFile, Snapshot } from '../../model/snapshot.ts';
import type { Unresolved } from '../../model/unresolved.ts';
import type { Diagnosis } from '../../model/verdict.ts';
import type {
  Clock,
  Cluster,
  ClusterEvidence,
  Ids,
  Metrics,
  MetricsEvidence,
  MetricsTarget,
  PodQuery,
  PodTarget,
  Progress,
  ReadBudget,
  ReadContext,
  SnapshotSource,
} from '../ports.ts';
import { resolvePermitted } from './resolve-permitted.ts';

// What an edge may need to end with what it has, once it is told to.
const GRACE_MS = 3_000;

/** What was found out about one snapshot, with what the report needs besides the diagnosis. */
export type Diagnosed = {
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
  readonly scanner: () => CauseFinder;
  readonly build: (input: { id: string; files: Readonly<Record<string, string>>; capture: Capture }) => Snapshot;
  readonly source: (snapshot: Snapshot) => SnapshotSource;
  readonly diagnose: (source: SnapshotSource) => Promise<Diagnosed>;
};

export type InvestigateRequest = {
  readonly query: PodQuery;
  readonly actor: Actor;
  readonly progress: Progress;
  readonly signal?: AbortSignal;
  /** Called once the pod is found and may be read, before its evidence is. */
  readonly onFound?: (target: PodTarget) => void;
  /** The pod and its logs alone, with or without metrics. */
  readonly brief?: 'with-metrics' | 'without-metrics';
};

export type Collected = {
  readonly kind: 'collected';
  readonly target: PodTarget;
  readonly snapshot: Snapshot;
  readonly evidence: 'full' | 'verdict-only';
};

export type Investigation =
  | (Omit<Collected, 'kind'> & { readonly kind: 'done'; readonly finding: Diagnosed })
  | Unresolved;

/** Pod name in, snapshot out: resolve, check the right to read, collect once, redact. Throws OomError where the cluster gives no answer. */
export async function collectSnapshot(
  deps: InvestigateDeps,
  request: InvestigateRequest,
): Promise<Collected | Unresolved> {
  const access = chooseCluster(deps, request.query.cluster);
  const context: ReadContext = {
    signal: deadline(deps.deadlineMs, request.signal),
    budget: deps.budget(),
    progress: request.progress,
    agent: `oombot/${deps.version} (by ${request.actor.user})`,
  };
  try {
    return await endsInTime(deps.clock, deps.deadlineMs, collect(deps, request, access, context));
  } catch (thrown) {
    // An abort reaches us as whatever the edge makes of it.
    const isTold = thrown instanceof OomError || !context.signal.aborted || request.signal?.aborted === true;
    throw ofCluster(deps, access, isTold ? thrown : lateAfter(deps.deadlineMs, thrown));
  }
}

const NAMES_CLUSTER: ReadonlySet<ErrorCode> = new Set([
  'cluster-unreachable',
  'cluster-refused',
  'forbidden',
  'deadline',
  'bad-config',
]);

// Who asks for a pod need not name its cluster, and so not know which one it was.
function ofCluster({ clusters }: InvestigateDeps, { cluster }: ClusterAccess, thrown: unknown): unknown {
  if (!(thrown instanceof OomError) || !NAMES_CLUSTER.has(thrown.code)) return thrown;
  // The only one may be one that nobody has given a name.
  if (thrown.code === 'bad-config' && clusters.size === 1) return thrown;
  return new OomError(thrown.code, `${thrown.message} (cluster ${cluster.name})`, { next: thrown.next, cause: thrown });
}

async function collect(
  deps: InvestigateDeps,
  { query, actor, progress, onFound, brief }: InvestigateRequest,
  access: ClusterAccess,
  context: ReadContext,
): Promise<Collected | Unresolved> {
  const takenAt = deps.clock.now();
  const startedAt = deps.clock.monotonic();
  progress('find-pod', 'running');
  const found = await resolvePermitted(
    (namespace) => authorise(deps.rights, actor, 'triage', { cluster: access.cluster.name, namespace }),
    access.cluster,
    query,
    context,
  );
  // The calls that find a pod follow one another, and all others wait for them.
  const resolveMs = deps.clock.monotonic() - startedAt;
  progress('find-pod', found.kind === 'permitted' ? 'done' : 'failed');
  if (found.kind !== 'permitted') return found;
  onFound?.(found.target);
  const { evidence, metrics } = await readAll(access, found.target, context, { scanner: deps.scanner, brief });
  await deps.clock.breathe();
  const snapshot = deps.build({
    id: deps.ids.next('snap'),
    files: mergeFiles(evidence, metrics),
    capture: {
      version: deps.version,
      takenAt,
      cluster: access.cluster.name,
      namespace: found.target.namespace,
      pod: found.target.pod,
      podUid: found.target.uid,
      container: evidence.container,
      workload: evidence.workload,
      replacedPod: found.target.replaced,
      logs: [...evidence.logs],
      notRead: [...evidence.notRead, ...metrics.notRead],
      cost: {
        ...context.budget.cost(),
        wallMs: deps.clock.monotonic() - startedAt,
        chainMs: resolveMs + evidence.chainMs,
      },
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
      next: 'Set KUBECONFIG, or add a cluster under `clusters` in the config.',
    });
  }
  throw new OomError(
    'bad-input',
    name === undefined ? 'Which of the configured clusters?' : `Unknown cluster ${name}.`,
    {
      next: `Put one of these in front of the pod: ${names.map((known) => `${known}/`).join(', ')}`,
    },
  );
}

type How = Pick<InvestigateDeps, 'scanner'> & Pick<InvestigateRequest, 'brief'>;

/** The evidence of the cluster, and of the metrics meanwhile. */
async function readAll(access: ClusterAccess, target: PodTarget, context: ReadContext, { scanner, brief }: How) {
  let metrics: Promise<MetricsEvidence> | undefined;
  const ask = (about: MetricsTarget) => {
    if (brief === 'without-metrics') return;
    metrics ??= access.metrics.collect(about, context).catch(() => NO_METRICS);
  };
  // Metrics need only the pod, so they are asked for while the logs are still coming.
  const evidence = await access.cluster.collect(target, context, {
    scanner,
    onMetricsTarget: ask,
    brief: brief !== undefined,
  });
  ask(evidence.metricsTarget);
  return { evidence, metrics: (await metrics) ?? (brief === 'without-metrics' ? NOT_ASKED : NO_METRICS) };
}

const NOT_ASKED: MetricsEvidence = { files: {}, notRead: [] };

// The port says that it never throws; one that does must not cost the finding.
const NO_METRICS: MetricsEvidence = {
  files: {},
  notRead: [{ item: 'metrics', reason: 'failed', detail: 'metrics not readable' }],
};

function mergeFiles(evidence: ClusterEvidence, metrics: MetricsEvidence): Record<string, string> {
  const files: Record<string, string> = { ...evidence.files };
  for (const [name, text] of Object.entries(metrics.files)) {
    const before = files[name];
    files[name] = before === undefined ? text : `${before.replace(/\n?$/, '\n')}${text}`;
  }
  return files;
}

function deadline(ms: number, outer: AbortSignal | undefined): AbortSignal {
  const own = AbortSignal.timeout(ms);
  return outer === undefined ? own : AbortSignal.any([own, outer]);
}

// Edges end by themselves when their signal says so, with what they have. One that does not is left behind.
async function endsInTime<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  const done = new AbortController();
  const late = clock.sleep(ms + GRACE_MS, done.signal).then(() => {
    throw lateAfter(ms);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
  }
}

function lateAfter(ms: number, cause?: unknown): OomError {
  return new OomError('deadline', `The cluster did not answer within ${Math.round(ms / 1000)} s.`, {
    next: 'Try again. If it persists, check the API server, the network to it, and the CPU limit of oombot.',
    cause,
  });
}
