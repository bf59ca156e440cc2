import { aContainerStatus, type ContainerOptions, containerSpec } from './container-builder.ts';
import type { KubeObject } from './world.ts';

export const NOW = Date.UTC(2026, 0, 15, 3, 0, 0);

/** Epoch ms as the API prints it. */
export function timeText(at: number): string {
  return new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

export type OwnerRef = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;

export type PodOptions = {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly owner?: OwnerRef | undefined;
  readonly node?: string | null;
  readonly createdAt?: number;
  readonly deletedAt?: number;
  readonly phase?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly containers?: readonly ContainerOptions[];
  readonly initContainers?: readonly ContainerOptions[];
};

/** A pod with one running engine container on a GPU, unless told otherwise. */
export function aPod(options: PodOptions = {}): KubeObject {
  const { name = 'vllm-server-7d8f6f9c6b-4mnl2', namespace = 'llm', createdAt = NOW - 3_600_000 } = options;
  const { containers = [{}], initContainers = [], node = 'gpu-node-1' } = options;
  const statuses = containers.map(aContainerStatus);
  const ready = statuses.every((status) => status.ready);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid: options.uid ?? `uid-${namespace}-${name}`,
      creationTimestamp: timeText(createdAt),
      ...(options.deletedAt !== undefined && { deletionTimestamp: timeText(options.deletedAt) }),
      labels: options.labels ?? {},
      ...(options.annotations && { annotations: options.annotations }),
      ...(options.owner && { ownerReferences: [referenceTo(options.owner)] }),
      managedFields: [{ manager: 'kubelet', operation: 'Update', fieldsV1: { 'f:status': {} } }],
    },
    spec: {
      ...(node !== null && { nodeName: node }),
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      containers: containers.map(containerSpec),
      ...(initContainers.length > 0 && { initContainers: initContainers.map(containerSpec) }),
    },
    status: {
      phase: options.phase ?? 'Running',
      ...(options.reason && { reason: options.reason }),
      ...(options.message && { message: options.message }),
      podIP: '10.0.0.5',
      qosClass: 'Burstable',
      startTime: timeText(createdAt),
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: timeText(createdAt) }],
      containerStatuses: statuses,
      ...(initContainers.length > 0 && { initContainerStatuses: initContainers.map(aContainerStatus) }),
    },
  };
}

function referenceTo({ apiVersion, kind, metadata }: OwnerRef) {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true };
}

export type WorkloadOptions = {
  readonly name?: string;
  readonly namespace?: string;
  readonly replicas?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly owner?: OwnerRef;
  readonly template?: readonly ContainerOptions[];
};

/** A Deployment with the ReplicaSets of its last two revisions, the newer one first. `hash` is the newer one's. */
export function aDeployment(
  options: WorkloadOptions & { readonly hash?: string; readonly before?: readonly ContainerOptions[] } = {},
): { readonly deployment: KubeObject; readonly replicaSet: KubeObject; readonly all: readonly KubeObject[] } {
  const { name = 'vllm-server', namespace = 'llm', replicas = 1, template = [{}], hash = '7d8f6f9c6b' } = options;
  const labels = options.labels ?? { app: name };
  const deployment = workload('Deployment', { ...options, name, namespace, replicas, labels, template });
  const setOf = (revision: number, suffix: string, containers: readonly ContainerOptions[]): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${suffix}`,
      namespace,
      uid: `uid-rs-${name}-${suffix}`,
      creationTimestamp: timeText(NOW - (revision === 2 ? 3_600_000 : 86_400_000)),
      labels: { ...labels, 'pod-template-hash': suffix },
      annotations: { 'deployment.kubernetes.io/revision': String(revision) },
      ownerReferences: [referenceTo(deployment)],
    },
    spec: {
      replicas: revision === 2 ? replicas : 0,
      selector: { matchLabels: { ...labels, 'pod-template-hash': suffix } },
      template: templateOf({ ...labels, 'pod-template-hash': suffix }, containers),
    },
  });
  const replicaSet = setOf(2, hash, template);
  const older = setOf(1, '5c9d7b8f4d', options.before ?? template);
  return { deployment, replicaSet, all: [deployment, replicaSet, older] };
}

/** A StatefulSet. */
export function aStatefulSet(options: WorkloadOptions = {}): KubeObject {
  return workload('StatefulSet', options);
}

/** Any other owner: `anOwner('serving.kserve.io/v1beta1', 'InferenceService', 'llama')`. */
export function anOwner(apiVersion: string, kind: string, name: string, namespace = 'llm'): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace, uid: `uid-${kind}-${name}` }, spec: {} };
}

function workload(kind: string, options: WorkloadOptions): KubeObject {
  const { name = 'vllm-server', namespace = 'llm', replicas = 1, template = [{}] } = options;
  const labels = options.labels ?? { app: name };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: {
      name,
      namespace,
      uid: `uid-${kind}-${name}`,
      generation: 2,
      creationTimestamp: timeText(NOW - 86_400_000),
      labels,
      annotations: { ...options.annotations },
      ...(options.owner && { ownerReferences: [referenceTo(options.owner)] }),
      managedFields: [{ manager: 'helm', operation: 'Apply' }],
    },
    spec: { replicas, selector: { matchLabels: labels }, template: templateOf(labels, template) },
    status: { replicas, readyReplicas: 0, observedGeneration: 2 },
  };
}

function templateOf(labels: Readonly<Record<string, string>>, containers: readonly ContainerOptions[]) {
  return { metadata: { labels }, spec: { containers: containers.map(containerSpec) } };
}

export type EventOptions = {
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
  over: { readonly labels?: Readonly<Record<string, string>> } = {},
): KubeObject {
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
      allocatable: { cpu: '95', memory: '1100Gi', 'nvidia.com/gpu': '8' },
      capacity: { cpu: '96', memory: '1152Gi', 'nvidia.com/gpu': '8' },
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
