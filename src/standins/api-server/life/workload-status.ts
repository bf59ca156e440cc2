import { timeText } from '../objects/builders.ts';
import type { KubeObject } from '../objects/world.ts';
import { isReady, type PodsOf } from './rollout.ts';
import type { Shape } from './workload-shape.ts';

const DEADLINE_MS = 600_000;

type Standing = { readonly pods: PodsOf; readonly changedAt: number; readonly now: number };

/** The status that the controller of a workload writes. */
export function workloadStatus(object: KubeObject, shape: Shape, { pods, changedAt, now }: Standing): unknown {
  const { fresh, old } = pods;
  const live = [...fresh, ...old];
  const per = (count: number): number => Math.floor(count / shape.size);
  const ready = per(live.filter(isReady).length);
  const counts = {
    replicas: per(live.length),
    updatedReplicas: per(fresh.length),
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: Math.max(0, shape.replicas - ready),
  };
  const done = counts.updatedReplicas === shape.replicas && ready === shape.replicas && old.length === 0;
  // A rollout that was once complete stays so, whatever becomes of its pods.
  const isComplete = done || wasComplete(object);
  const progressing = isComplete ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated';
  const late = !isComplete && now - changedAt >= DEADLINE_MS;
  const conditions = [
    { type: 'Available', status: ready >= shape.replicas ? 'True' : 'False', reason: 'MinimumReplicasAvailable' },
    {
      type: 'Progressing',
      status: late ? 'False' : 'True',
      reason: late ? 'ProgressDeadlineExceeded' : progressing,
      lastUpdateTime: timeText(changedAt),
    },
  ];
  return {
    ...(object.status as object | undefined),
    observedGeneration: object.metadata.generation,
    // A count of zero is left out, as the API does.
    ...Object.fromEntries(Object.entries(counts).map(([key, value]) => [key, value === 0 ? undefined : value])),
    ...(object.kind === 'StatefulSet' && { replicas: counts.replicas }),
    ...(['Deployment', 'Rollout'].includes(object.kind) && { conditions }),
  };
}

function wasComplete({ status, metadata }: KubeObject): boolean {
  const { observedGeneration, conditions = [] } = (status ?? {}) as {
    observedGeneration?: unknown;
    conditions?: { reason?: string }[];
  };
  const isSeen = observedGeneration === metadata.generation;
  return isSeen && conditions.some(({ reason }) => reason === 'NewReplicaSetAvailable');
}
