import { z } from 'zod';
import { count, flag, labels, lenient, listOf, quantities, text, words } from './lenient.ts';

export const OwnerReference = z.looseObject({ apiVersion: text, kind: text, name: text, uid: text, controller: flag });
export type OwnerReference = z.infer<typeof OwnerReference>;

export const ObjectMeta = z.looseObject({
  name: text,
  namespace: text,
  uid: text,
  labels,
  annotations: labels,
  generation: count,
  creationTimestamp: text,
  deletionTimestamp: text,
  ownerReferences: listOf(OwnerReference, {}),
});
export type ObjectMeta = z.infer<typeof ObjectMeta>;
const metadata = lenient(ObjectMeta);

export const Resources = z.looseObject({
  limits: quantities,
  requests: quantities,
  claims: listOf(z.looseObject({ name: text, request: text }), {}),
});
export type Resources = z.infer<typeof Resources>;

export const Probe = z.looseObject({
  initialDelaySeconds: count,
  periodSeconds: count,
  timeoutSeconds: count,
  failureThreshold: count,
  terminationGracePeriodSeconds: count,
});
export type Probe = z.infer<typeof Probe>;

export const ContainerSpec = z.looseObject({
  name: text,
  image: text,
  command: words,
  args: words,
  env: listOf(z.looseObject({ name: text, value: text }), {}),
  resources: lenient(Resources),
  ports: listOf(z.looseObject({ name: text, containerPort: count, protocol: text }), {}),
  livenessProbe: lenient(Probe),
  readinessProbe: lenient(Probe),
  startupProbe: lenient(Probe),
  restartPolicy: text,
  volumeMounts: listOf(z.looseObject({ name: text, mountPath: text }), {}),
});
export type ContainerSpec = z.infer<typeof ContainerSpec>;

export const Volume = z.looseObject({
  name: text,
  emptyDir: lenient(z.looseObject({ medium: text, sizeLimit: lenient(z.union([z.string(), z.number()])) })),
});

export const PodSpec = z.looseObject({
  containers: listOf(ContainerSpec, {}),
  initContainers: listOf(ContainerSpec, {}),
  nodeName: text,
  restartPolicy: text,
  terminationGracePeriodSeconds: count,
  volumes: listOf(Volume, {}),
  schedulingGates: listOf(z.looseObject({ name: text }), {}),
  resources: lenient(Resources),
  hostIPC: flag,
});
export type PodSpec = z.infer<typeof PodSpec>;

export const Terminated = z.looseObject({
  reason: text,
  exitCode: count,
  signal: count,
  message: text,
  startedAt: text,
  finishedAt: text,
  containerID: text,
});
export type Terminated = z.infer<typeof Terminated>;

export const ContainerState = z.looseObject({
  waiting: lenient(z.looseObject({ reason: text, message: text })),
  running: lenient(z.looseObject({ startedAt: text })),
  terminated: lenient(Terminated),
});
export type ContainerState = z.infer<typeof ContainerState>;

export const ContainerStatus = z.looseObject({
  name: text,
  state: lenient(ContainerState),
  lastState: lenient(ContainerState),
  ready: flag,
  started: flag,
  restartCount: count,
  image: text,
  containerID: text,
  resources: lenient(Resources),
});
export type ContainerStatus = z.infer<typeof ContainerStatus>;

export const Condition = z.looseObject({
  type: text,
  status: text,
  reason: text,
  message: text,
  lastTransitionTime: text,
});
export type Condition = z.infer<typeof Condition>;

export const PodStatus = z.looseObject({
  phase: text,
  reason: text,
  message: text,
  podIP: text,
  conditions: listOf(Condition, {}),
  containerStatuses: listOf(ContainerStatus, {}),
  initContainerStatuses: listOf(ContainerStatus, {}),
});

/** pod.json, and each entry of siblings.json (whose spec may be trimmed away). */
export const Pod = z.looseObject({
  apiVersion: text,
  kind: text,
  metadata,
  spec: lenient(PodSpec),
  status: lenient(PodStatus),
});
export type Pod = z.infer<typeof Pod>;

const ObjectReference = z.looseObject({ kind: text, name: text, namespace: text, uid: text, fieldPath: text });

/** An event in either form: core/v1 (`involvedObject`, `message`) or events.k8s.io/v1 (`regarding`, `note`). */
export const Event = z.looseObject({
  metadata,
  type: text,
  reason: text,
  message: text,
  note: text,
  count,
  firstTimestamp: text,
  lastTimestamp: text,
  eventTime: text,
  series: lenient(z.looseObject({ count, lastObservedTime: text })),
  involvedObject: lenient(ObjectReference),
  regarding: lenient(ObjectReference),
  source: lenient(z.looseObject({ component: text, host: text })),
});
export type Event = z.infer<typeof Event>;

export const Node = z.looseObject({
  metadata,
  spec: lenient(
    z.looseObject({ unschedulable: flag, taints: listOf(z.looseObject({ key: text, value: text, effect: text }), {}) }),
  ),
  status: lenient(z.looseObject({ allocatable: quantities, capacity: quantities, conditions: listOf(Condition, {}) })),
});
export type Node = z.infer<typeof Node>;

const PodTemplate = z.looseObject({ metadata, spec: lenient(PodSpec) });

/** An object of owners.json, trimmed: any kind, from the pod's controller upward. */
export const OwnerObject = z.looseObject({
  apiVersion: text,
  kind: text,
  metadata,
  spec: lenient(z.looseObject({ replicas: count, paused: flag, template: lenient(PodTemplate) })),
});
export type OwnerObject = z.infer<typeof OwnerObject>;

/** An entry of revisions.json, newest first: a ReplicaSet or ControllerRevision reduced to what can differ. */
export const Revision = z.looseObject({
  kind: text,
  name: text,
  revision: lenient(z.union([z.number(), z.string()])),
  createdAt: text,
  /** Who made it, by the managed fields of the workload: `helm`, `Argo CD`. */
  by: text,
  changeCause: text,
  /** The workload, where revisions of several may stand in the file. */
  owner: text,
  template: lenient(PodTemplate),
  /** Of a LeaderWorkerSet whose leader has a template of its own. */
  leader: lenient(PodTemplate),
});
export type Revision = z.infer<typeof Revision>;

/** An answer of metrics.k8s.io for one pod: the working set now. */
export const PodMetrics = z.looseObject({
  timestamp: text,
  containers: listOf(z.looseObject({ name: text, usage: quantities }), {}),
});

const ReplicaStatus = z.looseObject({
  replicas: z.number().default(0),
  conditions: z.array(z.looseObject({ type: z.string(), status: z.string(), message: z.string().default('') })),
});

/** Why a ReplicaSet, or the Deployment above it, cannot create its pods, in the words of the API server, and how many there are. */
export function replicaFailure(status: unknown): { readonly why: string; readonly pods: number } | undefined {
  const { replicas: pods = 0, conditions = [] } = ReplicaStatus.safeParse(status).data ?? {};
  const why = conditions.find((one) => one.type === 'ReplicaFailure' && one.status === 'True')?.message;
  return why === undefined ? undefined : { why, pods };
}
