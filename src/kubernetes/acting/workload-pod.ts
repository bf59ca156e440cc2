import type { WorkloadPod } from '../../app/acting-ports.ts';
import { type ContainerStatus, Pod } from '../../model/kubernetes.ts';

/** A pod as waits and verification see it; undefined for what is no pod. `container` null takes the first. */
export function readWorkloadPod(object: unknown, container: string | null): WorkloadPod | undefined {
  const { metadata, spec, status } = Pod.safeParse(object).data ?? {};
  if (metadata?.name === undefined || metadata.uid === undefined) return undefined;
  const statuses = status?.containerStatuses ?? [];
  const main = statuses.find(({ name }) => name === container) ?? statuses[0];
  const conditions = status?.conditions ?? [];
  const condition = (type: string) => conditions.find((one) => one.type === type);
  return {
    name: metadata.name,
    uid: metadata.uid,
    createdAt: timeOf(metadata.creationTimestamp) ?? 0,
    ready: condition('Ready')?.status === 'True',
    terminating: metadata.deletionTimestamp !== undefined,
    scheduled: (spec?.nodeName ?? '') !== '' || condition('PodScheduled')?.status === 'True',
    restarts: main?.restartCount ?? 0,
    startedAt: timeOf(main?.state?.running?.startedAt),
    readyAt: condition('Ready')?.status === 'True' ? timeOf(condition('Ready')?.lastTransitionTime) : null,
    lastDeath: deathOf(main),
    why: whyOf(status?.reason, main, condition('PodScheduled')),
    ip: status?.podIP ?? null,
    ports: portsOf(spec?.containers ?? [], container),
    worker: isWorker(metadata.labels ?? {}),
  };
}

// LeaderWorkerSet numbers the pods of a group from the leader on; Ray names their part.
function isWorker(labels: Readonly<Record<string, string>>): boolean {
  const index = labels['leaderworkerset.sigs.k8s.io/worker-index'];
  return (index !== undefined && index !== '0') || labels['ray.io/node-type'] === 'worker';
}

type Containers = NonNullable<NonNullable<Pod['spec']>['containers']>;

function portsOf(containers: Containers, container: string | null): readonly number[] {
  const main = containers.find(({ name }) => name === container) ?? containers[0];
  return (main?.ports ?? []).flatMap(({ containerPort }) => containerPort ?? []);
}

function deathOf(main: ContainerStatus | undefined): WorkloadPod['lastDeath'] {
  const ended = main?.state?.terminated ?? main?.lastState?.terminated;
  if (ended === undefined) return null;
  return { reason: ended.reason ?? 'Unknown', exitCode: ended.exitCode ?? -1, at: timeOf(ended.finishedAt) };
}

type Scheduled = { readonly status?: string | undefined; readonly reason?: string | undefined } | undefined;

// What keeps the pod from serving, in the API's own words.
function whyOf(reason: string | undefined, main: ContainerStatus | undefined, scheduled: Scheduled): string | null {
  if (reason !== undefined && reason !== '') return reason;
  if (scheduled?.status === 'False') return scheduled.reason ?? 'Unschedulable';
  return main?.state?.waiting?.reason ?? main?.state?.terminated?.reason ?? null;
}

function timeOf(text: string | undefined): number | null {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? null : at;
}
