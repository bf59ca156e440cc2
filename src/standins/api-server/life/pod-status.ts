import { timeText } from '../objects/builders.ts';
import { aContainerStatus, type DeathOptions } from '../objects/container-builder.ts';
import type { KubeObject } from '../objects/world.ts';
import type { PodSpec } from './workload-shape.ts';

/** What the kubelet knows of a pod. Times are epoch ms. */
export type Lived = {
  /** Since when the instance runs; null while it waits. */
  readonly startedAt: number | null;
  readonly restarts: number;
  readonly lastDeath: DeathOptions | undefined;
  readonly ready: boolean;
};

/** The status that the kubelet writes, or the scheduler while the pod has no node. */
export function podStatus(pod: KubeObject, life: Lived, now: number): unknown {
  const { containers, nodeName } = pod.spec as PodSpec;
  const { ready } = life;
  const old = pod.status as { conditions?: { type: string; status: string; lastTransitionTime: string }[] };
  const condition = (type: string, yes: boolean, reason?: string) => {
    const status = yes ? 'True' : 'False';
    const before = old?.conditions?.find((one) => one.type === type);
    const since = before?.status === status ? before.lastTransitionTime : timeText(now);
    return { type, status, lastTransitionTime: since, ...(reason !== undefined && !yes && { reason }) };
  };
  if (nodeName === undefined) {
    return { phase: 'Pending', conditions: [condition('PodScheduled', false, 'Unschedulable')] };
  }
  const statuses = containers.map(({ name, image }) => ({
    ...aContainerStatus({
      name,
      id: `${pod.metadata.uid}-${name}`,
      ...(image && { image }),
      restarts: life.restarts,
      ...(life.startedAt === null ? { waiting: 'CrashLoopBackOff' } : { runningSince: life.startedAt }),
      ...(life.lastDeath !== undefined && { lastDeath: life.lastDeath }),
    }),
    ready,
    started: ready,
  }));
  return {
    phase: 'Running',
    podIP: addressOf(pod),
    hostIP: '10.0.0.1',
    qosClass: 'Burstable',
    startTime: pod.metadata.creationTimestamp,
    conditions: [condition('PodScheduled', true), condition('Ready', ready, 'ContainersNotReady')],
    containerStatuses: statuses,
  };
}

// Two pods must not look like one.
function addressOf({ metadata, status }: KubeObject): string {
  const known = (status as { podIP?: string } | undefined)?.podIP;
  if (known !== undefined) return known;
  const sum = [...metadata.uid].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % 62_500, 7);
  return `10.0.${Math.floor(sum / 250) + 1}.${(sum % 250) + 2}`;
}
