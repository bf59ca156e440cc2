import { aContainerStatus, type ContainerOptions, containerSpec } from './container-builder.ts';
import type { KubeObject } from './world.ts';

export const NOW = Date.UTC(2026, 0, 15, 3, 0, 0);

/** Epoch ms as the API prints it. */
export function timeText(at: number): string {
  return new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

type OwnerRef = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;

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

type WorkloadOptions = {
  readonly name?: string;
  readonly namespace?: string;
  readonly replicas?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly owner?: OwnerRef;
  readonly template?: readonly ContainerOptions[];
  /** Epoch ms; the last rollout was an hour before. */
  readonly now?: number;
  /** Who made it, as the API server books it. */
  readonly manager?: string;
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
      creationTimestamp: timeText((options.now ?? NOW) - (revision === 2 ? ROLLOUT_AGO_MS : 86_400_000)),
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
      managedFields: [managed(options.manager ?? 'helm', (options.now ?? NOW) - ROLLOUT_AGO_MS)],
    },
    spec: { replicas, selector: { matchLabels: labels }, template: templateOf(labels, template) },
    status: { replicas, readyReplicas: 0, observedGeneration: 2 },
  };
}

// The newest revision is an hour old.
const ROLLOUT_AGO_MS = 3_600_000;

// As the API server books a change of the pod template.
function managed(manager: string, at: number) {
  return { manager, operation: 'Update', time: timeText(at), fieldsV1: { 'f:spec': { 'f:template': {} } } };
}

function templateOf(labels: Readonly<Record<string, string>>, containers: readonly ContainerOptions[]) {
  return { metadata: { labels }, spec: { containers: containers.map(containerSpec) } };
}
