/** A resource of the API: where it is served and what its objects are called. */
export type Resource = {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** It has a subresource `scale`, over `spec.replicas`. */
  readonly scales?: boolean;
};

/** Short names that kubectl takes. */
export const SHORT_NAMES: Readonly<Record<string, readonly string[]>> = {
  Pod: ['po'],
  Service: ['svc'],
  ConfigMap: ['cm'],
  Event: ['ev'],
  Node: ['no'],
  Namespace: ['ns'],
  Deployment: ['deploy'],
  ReplicaSet: ['rs'],
  StatefulSet: ['sts'],
  DaemonSet: ['ds'],
  HorizontalPodAutoscaler: ['hpa'],
  VerticalPodAutoscaler: ['vpa'],
  PodDisruptionBudget: ['pdb'],
  LeaderWorkerSet: ['lws'],
  InferenceService: ['isvc'],
  ScaledObject: ['so'],
  Rollout: ['ro'],
  Application: ['app'],
};

const row = (apiVersion: string, plural: string, kind: string, namespaced = true): Resource => {
  const parts = apiVersion.split('/');
  const version = parts.at(-1) ?? '';
  return { group: parts.length === 2 ? (parts[0] ?? '') : '', version, plural, kind, namespaced };
};

const scalable = (apiVersion: string, plural: string, kind: string): Resource => ({
  ...row(apiVersion, plural, kind),
  scales: true,
});

export const RESOURCES: readonly Resource[] = [
  row('v1', 'pods', 'Pod'),
  row('v1', 'services', 'Service'),
  row('v1', 'configmaps', 'ConfigMap'),
  row('v1', 'events', 'Event'),
  row('v1', 'nodes', 'Node', false),
  row('v1', 'namespaces', 'Namespace', false),
  scalable('apps/v1', 'deployments', 'Deployment'),
  scalable('apps/v1', 'replicasets', 'ReplicaSet'),
  scalable('apps/v1', 'statefulsets', 'StatefulSet'),
  row('apps/v1', 'daemonsets', 'DaemonSet'),
  row('apps/v1', 'controllerrevisions', 'ControllerRevision'),
  row('batch/v1', 'jobs', 'Job'),
  row('autoscaling/v2', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler'),
  row('autoscaling.k8s.io/v1', 'verticalpodautoscalers', 'VerticalPodAutoscaler'),
  row('policy/v1', 'poddisruptionbudgets', 'PodDisruptionBudget'),
  row('coordination.k8s.io/v1', 'leases', 'Lease'),
  row('metrics.k8s.io/v1beta1', 'pods', 'PodMetrics'),
  scalable('leaderworkerset.x-k8s.io/v1', 'leaderworkersets', 'LeaderWorkerSet'),
  row('serving.kserve.io/v1beta1', 'inferenceservices', 'InferenceService'),
  row('serving.kserve.io/v1alpha1', 'servingruntimes', 'ServingRuntime'),
  row('serving.kserve.io/v1alpha1', 'clusterservingruntimes', 'ClusterServingRuntime', false),
  row('kaito.sh/v1beta1', 'workspaces', 'Workspace'),
  row('keda.sh/v1alpha1', 'scaledobjects', 'ScaledObject'),
  scalable('argoproj.io/v1alpha1', 'rollouts', 'Rollout'),
  row('argoproj.io/v1alpha1', 'applications', 'Application'),
  row('kustomize.toolkit.fluxcd.io/v1', 'kustomizations', 'Kustomization'),
  row('helm.toolkit.fluxcd.io/v2', 'helmreleases', 'HelmRelease'),
  scalable('production-stack.vllm.ai/v1alpha1', 'vllmruntimes', 'VLLMRuntime'),
];

export function apiVersionOf(resource: Resource): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** What a path of the API asks for. */
export type ApiPath = {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** What follows the subresource `proxy`. */
  readonly rest: string;
};

const PATH = /^\/(?:api|apis\/([^/]+))\/([^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?(\/.*)?$/;

/** The resource behind a path, or undefined where the API server knows none there. */
export function parseApiPath(path: string): ApiPath | undefined {
  const match = PATH.exec(path);
  if (match === null) return undefined;
  const [, group = '', version, namespace, plural, name, subresource, rest = ''] = match.map((part) =>
    part === undefined ? undefined : decodeURIComponent(part),
  );
  const resource = RESOURCES.find((r) => r.group === group && r.version === version && r.plural === plural);
  return resource === undefined ? undefined : { resource, namespace, name, subresource, rest };
}
