import { countOf, quantileOf } from '../../actions/histogram.ts';
import { toOomError } from '../../model/errors.ts';
import type { Facts } from '../../model/fact.ts';
import type { PromptLengths, Read, RequestPool } from '../../model/handover.ts';
import type { Incident } from '../../model/incident.ts';
import { parseJsonFile } from '../../model/json-file.ts';
import { Pod } from '../../model/kubernetes.ts';
import { growthOf, type PastAsk } from '../acting/verify/read-history.ts';
import type { EngineHistory } from '../acting-ports.ts';
import type { PodState, RequestPools, WorkloadPods } from '../incident-ports.ts';
import type { ReadContext } from '../ports.ts';
import { collectSnapshot, type InvestigateDeps } from '../triage/investigate.ts';

export type LiveDeps = {
  readonly investigate: InvestigateDeps;
  /** By cluster, as the next two. */
  readonly history: ReadonlyMap<string, EngineHistory>;
  readonly pods: ReadonlyMap<string, WorkloadPods>;
  readonly routes: ReadonlyMap<string, RequestPools>;
};

/** A workload at the time of its handover. `facts` are those of its worst pod. */
export type LiveState = {
  readonly facts: Read<Facts>;
  readonly pods: Read<readonly PodState[]>;
  readonly pool: Read<RequestPool | undefined>;
  readonly prompts: Read<PromptLengths>;
  /** Requests refused since `since`. */
  readonly rejected: Read<number>;
};

type Of = Pick<Incident, 'cluster' | 'namespace' | 'workload' | 'pod'>;

const READ_MS = 20_000;

/** Reads a workload as it is now: its worst pod as a triage does, all its pods, what its engines have counted since `since` (epoch ms). Never throws. */
export async function readLive(
  deps: LiveDeps,
  incident: Of,
  { since, signal }: { since: number; signal?: AbortSignal | undefined },
): Promise<LiveState> {
  const { cluster, namespace, workload, pod } = incident;
  const stop = signal ?? new AbortController().signal;
  const context = contextOf(deps, stop);
  const [worst, all] = await Promise.all([
    readWorst(deps, incident, stop),
    deps.pods.get(cluster)?.read({ namespace, workload, pod }, context),
  ]);
  const pods = podsOf(all);
  const labels = worst.kind === 'read' ? worst.value.labels : {};
  const [pool, counted] = await Promise.all([
    deps.routes.get(cluster)?.read({ namespace, labels }, contextOf(deps, stop)),
    readCounts(deps, incident, { pods, since, context: contextOf(deps, stop) }),
  ]);
  return {
    facts: worst.kind === 'read' ? { kind: 'read', value: worst.value.facts } : worst,
    pods,
    pool: pool ?? { kind: 'unknown', why: notConfigured(cluster) },
    ...counted,
  };
}

function notConfigured(cluster: string): string {
  return `cluster ${cluster} is not configured`;
}

type Worst = Read<{ readonly facts: Facts; readonly labels: Readonly<Record<string, string>> }>;

async function readWorst({ investigate }: LiveDeps, of: Of, signal: AbortSignal): Promise<Worst> {
  const { cluster, namespace, workload } = of;
  const name = workload.slice(workload.indexOf('/') + 1);
  const query = { cluster, namespace, pod: name, container: undefined };
  const actor = { place: 'terminal', user: 'oombot' } as const;
  try {
    const read = await collectSnapshot(investigate, {
      ...{ query, actor, signal, brief: 'with-metrics' },
      progress: () => undefined,
    });
    if (read.kind !== 'collected') return { kind: 'unknown', why: WHY_NOT[read.kind] ?? 'its pods were not found' };
    const { facts } = await investigate.diagnose(investigate.source(read.snapshot));
    const pod = parseJsonFile(Pod, read.snapshot.files['pod.json'] ?? '');
    return { kind: 'read', value: { facts, labels: (pod.kind === 'value' && pod.value.metadata?.labels) || {} } };
  } catch (error) {
    return { kind: 'unknown', why: toOomError(error).message.replace(/\.(?=$| \()/, '') };
  }
}

const WHY_NOT: Readonly<Record<string, string>> = {
  'not-found': 'the workload was deleted',
  'no-pods': 'the workload has no pods',
  ambiguous: 'several workloads have this name',
  outside: 'its namespace is not configured',
  forbidden: 'oombot may not read its pods',
};

function podsOf(read: Awaited<ReturnType<WorkloadPods['read']>> | undefined): LiveState['pods'] {
  if (read === undefined) return { kind: 'unknown', why: 'its cluster is not configured' };
  return read.kind === 'read' ? { kind: 'read', value: read.pods } : read;
}

type Counted = Pick<LiveState, 'prompts' | 'rejected'>;
type Counting = { readonly pods: LiveState['pods']; readonly since: number; readonly context: ReadContext };

async function readCounts(
  { history, investigate }: LiveDeps,
  { cluster, namespace }: Of,
  { pods, since, context }: Counting,
): Promise<Counted> {
  const source = history.get(cluster);
  const none = (why: string): Counted => ({ prompts: { kind: 'unknown', why }, rejected: { kind: 'unknown', why } });
  if (source === undefined) return none('no metrics configured for this cluster');
  if (pods.kind === 'unknown') return none(pods.why);
  if (pods.value.length === 0) return none('no pods');
  const places = pods.value.map(({ name, createdAt, restartedAt }) => ({
    ...{ name, createdAt, ip: null, ports: [] },
    startedAt: restartedAt ?? createdAt,
  }));
  const ask: PastAsk = {
    ...{ cluster, namespace, pods: places, from: since, to: investigate.clock.now() },
    ...{ mustLast: false, shortTokens: 0 },
  };
  const read = await source.read(ask, context);
  const [prompts, rejected] = [growthOf(read['prompt.tokens'], ask), growthOf(read['requests.rejected'], ask)];
  return {
    prompts: prompts.kind === 'unknown' ? prompts : lengthsOf(prompts.counted),
    rejected: rejected.kind === 'unknown' ? rejected : { kind: 'read', value: Math.round(countOf(rejected.counted)) },
  };
}

// Fewer make no 99th percentile.
const LEAST_REQUESTS = 20;

function lengthsOf(counted: Parameters<typeof countOf>[0]): Read<PromptLengths> {
  const requests = countOf(counted);
  if (requests < LEAST_REQUESTS) return { kind: 'unknown', why: `${Math.round(requests)} requests, too few for a P99` };
  const [median, p99] = [quantileOf(counted, 0.5), quantileOf(counted, 0.99)];
  if (median.kind === 'empty' || p99.kind === 'empty') return { kind: 'unknown', why: 'no requests' };
  return { kind: 'read', value: { median: Math.ceil(median.value), p99: Math.ceil(p99.value) } };
}

function contextOf({ investigate }: LiveDeps, signal: AbortSignal): ReadContext {
  return {
    signal: AbortSignal.any([signal, AbortSignal.timeout(READ_MS)]),
    budget: investigate.budget(),
    progress: () => undefined,
    agent: `oombot/${investigate.version} (handover)`,
  };
}
