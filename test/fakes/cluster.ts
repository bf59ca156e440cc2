import type {
  Cluster,
  ClusterEvidence,
  CollectOptions,
  MetricsTarget,
  PodQuery,
  PodResolution,
  PodTarget,
  ReadContext,
} from '../../src/app/ports.ts';
import { OomError } from '../../src/model/errors.ts';
import { type ContainerStatus, type Pod, Pod as PodSchema } from '../../src/model/kubernetes.ts';
import { type LogRead, logFileName, type NotRead } from '../../src/model/snapshot.ts';
import type { PodCandidate } from '../../src/model/unresolved.ts';
import { type ApiWorld, findObject, type KubeObject } from '../../src/standins/api-server/objects/world.ts';

export type FakeCluster = Cluster & {
  /** What the next calls throw instead of answering. */
  failWith: OomError | undefined;
  /** Awaited in the middle of `collect`: holds a triage up where a test wants it. */
  pause: () => Promise<void>;
  readonly asked: readonly PodQuery[];
  readonly collected: readonly PodTarget[];
};

/** A cluster in memory over the same worlds as the API server's stand-in, without the wire. */
export function createFakeCluster(world: ApiWorld, name = 'prod'): FakeCluster {
  const asked: PodQuery[] = [];
  const collected: PodTarget[] = [];
  const fake: FakeCluster = {
    name,
    asked,
    collected,
    failWith: undefined,
    pause: async () => {},
    async resolve(query, context) {
      asked.push(query);
      spend(fake, context);
      return resolve(world, name, query);
    },
    async collect(target, context, options) {
      collected.push(target);
      spend(fake, context);
      return collect(world, target, { context, options, pause: fake.pause });
    },
  };
  return fake;
}

function spend({ failWith }: FakeCluster, { budget, signal }: ReadContext): void {
  if (failWith !== undefined) throw failWith;
  if (signal.aborted || !budget.take('call')) {
    throw new OomError('deadline', 'No time or calls were left.', { next: 'Ask again.' });
  }
}

function isDenied({ denied }: ApiWorld, resource: string, namespace: string | undefined): boolean {
  return denied.some(
    (one) => (one.resource ?? resource) === resource && (one.namespace === undefined || one.namespace === namespace),
  );
}

function resolve(world: ApiWorld, cluster: string, query: PodQuery): PodResolution {
  const { namespace, pod: name } = query;
  if (isDenied(world, 'pods', namespace)) {
    return { kind: 'forbidden', searched: [namespace ?? 'all namespaces'], rule: `pods get in namespace ${namespace}` };
  }
  const pods = world.objects.filter(
    ({ kind, metadata }) => kind === 'Pod' && (namespace === undefined || metadata.namespace === namespace),
  );
  const exact = pods.filter(({ metadata }) => metadata.name === name);
  const base = name.replace(/-[a-z0-9]{1,10}-[a-z0-9]{5}$/, '').replace(/-\d+$/, '');
  const own = pods.filter((pod) => workloadOf(pod).endsWith(`/${base}`));
  const prefixed = pods.filter(({ metadata }) => metadata.name.startsWith(name));
  const found = [exact, own, prefixed].find((list) => list.length > 0) ?? [];
  const workloads = new Set(found.map((pod) => `${pod.metadata.namespace}/${workloadOf(pod)}`));
  const [first] = found.toSorted((a, b) => Number(isBad(b)) - Number(isBad(a)));
  if (first === undefined) {
    return { kind: 'not-found', nearest: pods.slice(0, 5).map(toCandidate), searched: [namespace ?? 'all namespaces'] };
  }
  if (workloads.size > 1) {
    const sorted = found.toSorted((a, b) => Number(isBad(b)) - Number(isBad(a)));
    return { kind: 'ambiguous', candidates: sorted.slice(0, 8).map(toCandidate) };
  }
  const target: PodTarget = {
    cluster,
    namespace: first.metadata.namespace ?? '',
    pod: first.metadata.name,
    uid: first.metadata.uid,
    container: query.container,
    workload: workloadOf(first),
    replaced: exact.length === 0 && base !== name && own.length > 0 ? name : null,
  };
  return { kind: 'found', target };
}

function workloadOf({ metadata }: KubeObject): string {
  const { ownerReferences = [] } = PodSchema.parse({ metadata }).metadata ?? {};
  const [owner] = ownerReferences;
  if (owner === undefined) return `Pod/${metadata.name}`;
  const hash = metadata.labels?.['pod-template-hash'];
  const name = owner.name ?? '';
  return owner.kind === 'ReplicaSet' && hash !== undefined
    ? `Deployment/${name.slice(0, -hash.length - 1)}`
    : `${owner.kind}/${name}`;
}

function isBad(pod: KubeObject): boolean {
  const statuses = PodSchema.parse(pod).status?.containerStatuses ?? [];
  return statuses.some(({ ready, restartCount = 0 }) => ready === false || restartCount > 0);
}

function toCandidate(pod: KubeObject): PodCandidate {
  const { namespace = '', name } = pod.metadata;
  return { namespace, pod: name, state: isBad(pod) ? 'CrashLoopBackOff' : 'Running' };
}

type Reading = { readonly context: ReadContext; readonly options: CollectOptions; readonly pause: () => Promise<void> };

async function collect(
  world: ApiWorld,
  target: PodTarget,
  { context, options, pause }: Reading,
): Promise<ClusterEvidence> {
  context.progress('read-status', 'running');
  const object = findObject(world, { kind: 'Pod', name: target.pod, namespace: target.namespace });
  const pod = object === undefined ? undefined : PodSchema.parse(object);
  const statuses = pod?.status?.containerStatuses ?? [];
  const status = statuses.find(({ name }) => name === target.container) ?? statuses[0];
  const metricsTarget = metricsTargetOf(target, pod, status);
  options.onMetricsTarget?.(metricsTarget);
  await pause();
  const events = world.objects.filter(
    ({ kind, involvedObject }) => kind === 'Event' && (involvedObject as { uid?: string }).uid === target.uid,
  );
  const log = readLog(world, target, { status, only: statuses.length === 1, context });
  context.progress('read-status', 'done');
  context.progress('read-logs', log.read === undefined ? 'skipped' : 'done');
  return {
    files: {
      ...(object !== undefined && { 'pod.json': JSON.stringify(object) }),
      'events.json': JSON.stringify(events),
      ...(log.read !== undefined && { [log.read.file]: log.text }),
    },
    logs: log.read === undefined ? [] : [log.read],
    notRead: [
      ...(object === undefined ? [{ item: 'pod.json', reason: 'gone', detail: 'the pod is gone' } as const] : []),
      ...log.notRead,
    ],
    container: status?.name ?? null,
    workload: target.workload,
    metricsTarget,
    chainMs: 0,
  };
}

function metricsTargetOf(target: PodTarget, pod: Pod | undefined, status: ContainerStatus | undefined): MetricsTarget {
  const spec = pod?.spec?.containers?.find(({ name }) => name === status?.name);
  const ended = status?.state?.terminated ?? status?.lastState?.terminated;
  return {
    cluster: target.cluster,
    namespace: target.namespace,
    pod: target.pod,
    container: status?.name ?? null,
    node: pod?.spec?.nodeName ?? null,
    podIP: pod?.status?.podIP ?? null,
    ports: (spec?.ports ?? []).flatMap(({ containerPort }) => containerPort ?? []),
    image: spec?.image ?? null,
    diedAt: ended?.finishedAt === undefined ? null : Date.parse(ended.finishedAt),
  };
}

type LogOf = { readonly status: ContainerStatus | undefined; readonly only: boolean; readonly context: ReadContext };

function readLog(world: ApiWorld, { namespace, pod }: PodTarget, { status, only, context }: LogOf) {
  const container = status?.name ?? '';
  const previous = status?.state?.terminated === undefined && status?.lastState?.terminated !== undefined;
  const instance = previous ? 'previous' : 'current';
  const file = logFileName(only ? undefined : container, instance);
  const none = (reason: NotRead['reason'], detail: string) => ({
    read: undefined,
    text: '',
    notRead: [{ item: file, reason, detail }],
  });
  if (isDenied(world, 'pods/log', namespace)) {
    return none('forbidden', `missing right: pods/log get in namespace ${namespace}`);
  }
  if (!context.budget.take('log')) return none('budget', 'no calls for logs were left for it');
  const log = world.logs.find(
    (one) => one.namespace === namespace && one.pod === pod && one.container === container && one.instance === instance,
  );
  if (log === undefined) return none('gone', 'the node no longer has the log of this instance');
  const lines = [...(typeof log.lines === 'function' ? log.lines() : log.lines)];
  const text = lines
    .map(({ at, text: line }) => `${new Date(at).toISOString().replace('Z', '000000Z')} ${line}\n`)
    .join('');
  const bytes = Buffer.byteLength(text);
  context.budget.addBytes(bytes);
  const read: LogRead = {
    file,
    container,
    previous,
    readBytes: bytes,
    keptBytes: bytes,
    totalBytes: bytes,
    parts: ['whole'],
    cut: null,
  };
  return { read, text, notRead: [] };
}
