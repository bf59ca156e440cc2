import { timeText } from '../objects/builders.ts';
import type { KubeObject } from '../objects/world.ts';
import type { Storage } from '../write/storage.ts';
import type { PodSpec } from './workload-shape.ts';

type PodEvent = { readonly reason: string; readonly message: string; readonly type?: 'Normal' | 'Warning' };

/** Enters an event of a pod, or counts one more of the same. */
export function recordEvent(storage: Storage, pod: KubeObject, { reason, message, type = 'Normal' }: PodEvent): void {
  const { name, namespace, uid } = pod.metadata;
  const at = timeText(storage.now());
  const old = storage.world.objects.find(
    (one) => one.kind === 'Event' && one.reason === reason && one.message === message && involvedUid(one) === uid,
  );
  if (old !== undefined) {
    storage.settle(old, { ...old, count: Number(old.count ?? 1) + 1, lastTimestamp: at });
    return;
  }
  const component = ['Scheduled', 'FailedScheduling'].includes(reason) ? 'default-scheduler' : 'kubelet';
  const container = (pod.spec as PodSpec).containers[0]?.name;
  const event: KubeObject = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: `${name}.${reason.toLowerCase()}.${storage.now().toString(16)}`,
      namespace,
      uid: `uid-event-${uid}-${reason}-${storage.now()}`,
    },
    type,
    reason,
    message,
    count: 1,
    firstTimestamp: at,
    lastTimestamp: at,
    source: { component, ...(component === 'kubelet' && { host: 'gpu-node-1' }) },
    involvedObject: {
      apiVersion: 'v1',
      kind: 'Pod',
      name,
      namespace,
      uid,
      ...(component === 'kubelet' && container !== undefined && { fieldPath: `spec.containers{${container}}` }),
    },
  };
  storage.settle(undefined, event);
}

function involvedUid(event: KubeObject): unknown {
  return (event.involvedObject as { uid?: string } | undefined)?.uid;
}
