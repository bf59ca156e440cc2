import { NOW, timeText } from './builders.ts';
import type { KubeObject } from './world.ts';

type EventOptions = {
  readonly about: KubeObject;
  readonly reason: string;
  readonly message: string;
  readonly at?: number;
  readonly type?: string;
  readonly count?: number;
  readonly container?: string;
};

/** An event of an object; those of nodes stand in the namespace `default`. */
export function anEvent({ about, reason, message, at = NOW, type = 'Warning', ...rest }: EventOptions): KubeObject {
  const { name, namespace, uid } = about.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: `${name}.${reason}.${at}`,
      namespace: namespace ?? 'default',
      uid: `uid-event-${name}-${reason}-${at}`,
    },
    type,
    reason,
    message,
    count: rest.count ?? 1,
    firstTimestamp: timeText(at),
    lastTimestamp: timeText(at),
    source: { component: 'kubelet' },
    involvedObject: {
      kind: about.kind,
      name,
      ...(namespace !== undefined && { namespace }),
      uid,
      ...(rest.container !== undefined && { fieldPath: `spec.containers{${rest.container}}` }),
    },
  };
}

/** A node with GPUs, labelled as GPU feature discovery does it. */
export function aNode(
  name = 'gpu-node-1',
  over: { readonly labels?: Readonly<Record<string, string>>; readonly ramGib?: number } = {},
): KubeObject {
  const ramGib = over.ramGib ?? 1152;
  const labels = {
    'kubernetes.io/hostname': name,
    'nvidia.com/gpu.product': 'NVIDIA-A100-SXM4-80GB',
    'nvidia.com/gpu.count': '8',
    'nvidia.com/gpu.memory': '81920',
    'node.kubernetes.io/instance-type': 'p4de.24xlarge',
  };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid: `uid-node-${name}`, labels: over.labels ?? labels },
    spec: {},
    status: {
      allocatable: { cpu: '95', memory: `${Math.floor(ramGib * 0.955)}Gi`, 'nvidia.com/gpu': '8' },
      capacity: { cpu: '96', memory: `${ramGib}Gi`, 'nvidia.com/gpu': '8' },
      conditions: [
        { type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory' },
        { type: 'Ready', status: 'True', reason: 'KubeletReady' },
      ],
      images: [{ names: ['vllm/vllm-openai:v0.11.0'], sizeBytes: 10_000_000_000 }],
    },
  };
}

export function anHpa(target: KubeObject, min = 1, max = 4): KubeObject {
  const { name, namespace } = target.metadata;
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: `${name}-hpa`, namespace, uid: `uid-hpa-${name}` },
    spec: {
      minReplicas: min,
      maxReplicas: max,
      scaleTargetRef: { apiVersion: target.apiVersion, kind: target.kind, name },
    },
    status: { currentReplicas: 1, desiredReplicas: 1, conditions: [] },
  };
}

export function aPdb(name: string, matchLabels: Readonly<Record<string, string>>, namespace = 'llm'): KubeObject {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace, uid: `uid-pdb-${name}` },
    spec: { minAvailable: 1, selector: { matchLabels } },
    status: { disruptionsAllowed: 0, currentHealthy: 0, expectedPods: 1 },
  };
}

/** What metrics.k8s.io has of a pod; `memory` by container, as quantities. */
export function podMetrics(pod: KubeObject, memory: Readonly<Record<string, string>>, at = NOW): KubeObject {
  return {
    apiVersion: 'metrics.k8s.io/v1beta1',
    kind: 'PodMetrics',
    metadata: { name: pod.metadata.name, namespace: pod.metadata.namespace, uid: `uid-metrics-${pod.metadata.name}` },
    timestamp: timeText(at),
    window: '15s',
    containers: Object.entries(memory).map(([name, value]) => ({ name, usage: { cpu: '1', memory: value } })),
  };
}
