import { z } from 'zod';
import type { ContainerEnd, WatchedPod } from '../../app/watch-ports.ts';

// Lengths that Kubernetes itself allows: what exceeds them is no name, and would be kept.
const Name = z.string().min(1).max(253);
const Uid = z.string().min(1).max(128);

const Terminated = z.object({
  containerID: z.string().max(200).catch(''),
  reason: z.string().max(100).catch(''),
  exitCode: z.number().int(),
  startedAt: z.string().optional().catch(undefined),
  finishedAt: z.string().optional().catch(undefined),
});
const State = z.object({ terminated: Terminated.optional().catch(undefined) }).catch({});
const ContainerStatus = z.object({
  name: Name,
  restartCount: z.number().int().nonnegative().catch(0),
  state: State.optional(),
  lastState: State.optional(),
});
const Statuses = z.array(z.unknown()).catch([]);

const Pod = z.object({
  metadata: z.object({
    uid: Uid,
    namespace: Name,
    name: Name,
    creationTimestamp: z.string().optional().catch(undefined),
    deletionTimestamp: z.string().optional().catch(undefined),
    ownerReferences: z.array(z.unknown()).catch([]),
  }),
  spec: z.object({ nodeName: Name.optional().catch(undefined) }).catch({}),
  status: z
    .object({
      phase: z.string().optional().catch(undefined),
      reason: z.string().max(100).optional().catch(undefined),
      conditions: z.array(z.unknown()).catch([]),
      containerStatuses: Statuses,
      initContainerStatuses: Statuses,
    })
    .catch({ conditions: [], containerStatuses: [], initContainerStatuses: [] }),
});
const Owner = z.object({ uid: Uid, controller: z.literal(true) });
const Ready = z.object({ type: z.literal('Ready'), status: z.literal('True') });

// An engine has a few sidecars; more are not kept.
const MOST_CONTAINERS = 16;

type Container = WatchedPod['containers'][number];

/** What a watch keeps of a pod as the API server gives it; undefined where it is none. Parts that do not parse are left out. */
export function readWatchedPod(object: unknown): WatchedPod | undefined {
  const parsed = Pod.safeParse(object);
  if (!parsed.success) return undefined;
  const { metadata, spec, status } = parsed.data;
  const owner = metadata.ownerReferences.map((one) => Owner.safeParse(one).data?.uid).find((uid) => uid !== undefined);
  return {
    uid: metadata.uid,
    namespace: metadata.namespace,
    name: metadata.name,
    owner: owner ?? metadata.uid,
    node: spec.nodeName,
    ready: status.conditions.some((one) => Ready.safeParse(one).success),
    createdAt: timeOf(metadata.creationTimestamp) ?? 0,
    failed: status.phase === 'Failed' ? status.reason : undefined,
    leaving: metadata.deletionTimestamp !== undefined,
    containers: [
      ...status.containerStatuses.flatMap((one) => readContainer(one) ?? []),
      ...status.initContainerStatuses.flatMap((one) => withoutSuccess(readContainer(one)) ?? []),
    ].slice(0, MOST_CONTAINERS),
  };
}

function readContainer(status: unknown): Container | undefined {
  const parsed = ContainerStatus.safeParse(status);
  if (!parsed.success) return undefined;
  const { name, restartCount, state, lastState } = parsed.data;
  const ended = state?.terminated ?? lastState?.terminated;
  return { name, restarts: restartCount, ended: ended && endOf(ended) };
}

// To end well is what an init container is for.
function withoutSuccess(container: Container | undefined): Container | undefined {
  return container?.ended?.exitCode === 0 ? { ...container, ended: undefined } : container;
}

function endOf({ containerID, reason, exitCode, startedAt, finishedAt }: z.infer<typeof Terminated>): ContainerEnd {
  return {
    containerId: containerID,
    reason,
    exitCode,
    startedAt: timeOf(startedAt),
    finishedAt: timeOf(finishedAt),
  };
}

function timeOf(text: string | undefined): number | undefined {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? undefined : at;
}
