import type { Clock, ClusterEvidence, CollectOptions, MetricsTarget, PodTarget, ReadContext } from '../../app/ports.ts';
import type { Pod } from '../../model/kubernetes.ts';
import type { KubeHttp } from '../api/http.ts';
import { type LogPlans, planLogs } from '../logs/plan-logs.ts';
import { eventsOfPod, readEvents } from './events.ts';
import { controllerOf } from './owners.ts';
import { readAround, readUsage } from './read-around.ts';
import { type LogsRead, readLogs } from './read-logs.ts';
import { createReads, type PodRead, type Reads, readPod } from './reads.ts';
import { type Reserved, reserve } from './reserve.ts';

export type CollectInput = {
  readonly target: PodTarget;
  readonly context: ReadContext;
  readonly options: CollectOptions;
};
type Deps = { readonly http: KubeHttp; readonly clock: Clock };

/** All evidence of one pod at constant cost. What cannot be had stands in `notRead`; throws OomError only where the cluster does not even give the pod. */
export async function collectEvidence(deps: Deps, input: CollectInput): Promise<ClusterEvidence> {
  const { target, context, options } = input;
  const reads = createReads(deps.http, deps.clock, context);
  context.progress('read-status', 'running');
  const read = await readPod(reads, target).catch((thrown) => {
    context.progress('read-status', 'failed');
    throw thrown;
  });
  if (read === undefined) return withoutPod(reads, input);
  const plans = planLogs(read.pod, target.container);
  const wants = {
    plans: plans.plans,
    events: options.brief !== true,
    owner: options.brief !== true && controllerOf(read.pod.metadata?.ownerReferences) !== undefined,
    node: options.brief !== true && read.pod.spec?.nodeName !== undefined,
  };
  const reserved = reserve(context.budget, wants);
  const metricsTarget = metricsTargetOf(target, read.pod, plans);
  options.onMetricsTarget?.(metricsTarget);
  noteContainers(reads, plans, read);
  const around = options.brief === true ? readUsage : readAround;
  const [logs, surroundings] = await Promise.all([
    withProgress(context, () => readLogs(logsInput(deps, input, { reads, plans, reserved, read }))),
    around({ reads, target, pod: read.pod, reserved, runs: plans.diedAt === null, after: read.after }),
  ]);
  context.progress('read-status', 'done');
  return {
    files: { 'pod.json': (logs.newerPod ?? read).json, ...surroundings.files, ...logs.files },
    logs: logs.logs,
    notRead: reads.notRead(),
    container: plans.container,
    workload: surroundings.top ?? target.workload,
    metricsTarget,
    chainMs: reads.longestMs(),
  };
}

type Gathered = {
  readonly reads: Reads;
  readonly plans: LogPlans;
  readonly reserved: Reserved;
  readonly read: PodRead;
};

function logsInput({ http, clock }: Deps, { target, context, options }: CollectInput, gathered: Gathered) {
  const { reads, plans, reserved, read } = gathered;
  const deps = { http, clock, target, context, scanner: options.scanner };
  return { deps, reads, plans: plans.plans, reserved, after: read.after };
}

async function withProgress(context: ReadContext, work: () => Promise<LogsRead>): Promise<LogsRead> {
  context.progress('read-logs', 'running');
  const logs = await work();
  context.progress('read-logs', logs.logs.length > 0 ? 'done' : 'skipped');
  return logs;
}

function noteContainers(reads: Reads, { unknown, plans }: LogPlans, { pod }: PodRead): void {
  if (unknown !== undefined) {
    const names = (pod.spec?.containers ?? []).map(({ name }) => name).join(', ');
    reads.note({
      item: `container ${unknown}`,
      reason: 'gone',
      detail: `no such container; the pod has ${names}`,
    });
  }
  if (plans.length > 0) return;
  const evicted = pod.status?.phase === 'Failed';
  const detail = evicted ? 'the pod failed and its containers are gone' : 'no container has run yet';
  reads.note({ item: 'logs', reason: evicted ? 'gone' : 'empty', detail });
}

// Events outlive their pod by an hour.
async function withoutPod(reads: Reads, { target, context, options }: CollectInput): Promise<ClusterEvidence> {
  const metricsTarget = metricsTargetOf(target, undefined, { container: target.container ?? null, diedAt: null });
  options.onMetricsTarget?.(metricsTarget);
  const paid = { after: reads.longestMs(), prepaid: false };
  const events = await readEvents(reads, eventsOfPod(target.namespace, target.uid), paid);
  context.progress('read-status', 'done');
  context.progress('read-logs', 'skipped');
  reads.note({ item: 'logs', reason: 'gone', detail: 'the pod and its logs are gone' });
  return {
    files: events === undefined ? {} : { 'events.json': JSON.stringify(events) },
    logs: [],
    notRead: reads.notRead(),
    container: target.container ?? null,
    workload: target.workload,
    metricsTarget,
    chainMs: reads.longestMs(),
  };
}

/** What the metrics edge needs to find the series of a pod. */
export function metricsTargetOf(
  target: PodTarget,
  pod: Pod | undefined,
  { container, diedAt }: Pick<LogPlans, 'container' | 'diedAt'>,
): MetricsTarget {
  const specs = [...(pod?.spec?.containers ?? []), ...(pod?.spec?.initContainers ?? [])];
  const spec = specs.find(({ name }) => name === container);
  return {
    cluster: target.cluster,
    namespace: target.namespace,
    pod: target.pod,
    container,
    node: pod?.spec?.nodeName ?? null,
    podIP: pod?.status?.podIP ?? null,
    ports: (spec?.ports ?? []).flatMap(({ containerPort }) => (containerPort === undefined ? [] : [containerPort])),
    image: spec?.image ?? null,
    diedAt,
  };
}
