import type { KubeRequest } from './http.ts';

export type Resource = { readonly group: string; readonly version: string; readonly plural: string };

// The kinds that are written or looked at: no discovery is needed for them.
const PLURALS: Readonly<Record<string, string>> = {
  'v1 Pod': 'pods',
  'v1 Service': 'services',
  'v1 ConfigMap': 'configmaps',
  'apps/v1 Deployment': 'deployments',
  'apps/v1 StatefulSet': 'statefulsets',
  'apps/v1 ReplicaSet': 'replicasets',
  'autoscaling/v2 HorizontalPodAutoscaler': 'horizontalpodautoscalers',
  'policy/v1 PodDisruptionBudget': 'poddisruptionbudgets',
  'keda.sh/v1alpha1 ScaledObject': 'scaledobjects',
  'autoscaling.k8s.io/v1 VerticalPodAutoscaler': 'verticalpodautoscalers',
  'leaderworkerset.x-k8s.io/v1 LeaderWorkerSet': 'leaderworkersets',
  'serving.kserve.io/v1beta1 InferenceService': 'inferenceservices',
  'serving.kserve.io/v1alpha1 ServingRuntime': 'servingruntimes',
  'serving.kserve.io/v1alpha1 ClusterServingRuntime': 'clusterservingruntimes',
  'kaito.sh/v1beta1 Workspace': 'workspaces',
  'argoproj.io/v1alpha1 Rollout': 'rollouts',
  'argoproj.io/v1alpha1 Application': 'applications',
  'kustomize.toolkit.fluxcd.io/v1 Kustomization': 'kustomizations',
  'helm.toolkit.fluxcd.io/v2 HelmRelease': 'helmreleases',
};

/** The resource of a known kind; undefined where discovery must tell. */
export function knownResource(apiVersion: string, kind: string): Resource | undefined {
  const plural = PLURALS[`${apiVersion} ${kind}`];
  return plural === undefined ? undefined : { ...splitVersion(apiVersion), plural };
}

/** `apps/v1` as group and version; the core group is the empty word. */
export function splitVersion(apiVersion: string): Omit<Resource, 'plural'> {
  const [first = '', second] = apiVersion.split('/');
  return second === undefined ? { group: '', version: first } : { group: first, version: second };
}

/** Path of a group's version: `/apis/apps/v1`, `/api/v1`. */
export function versionPath(apiVersion: string): string {
  const { group, version } = splitVersion(apiVersion);
  const parts = group === '' ? ['api', version] : ['apis', group, version];
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}

/** Path of one object, or of all of its kind in the namespace where no name is given; what belongs to no namespace has an empty one. */
export function objectPath(
  resource: Resource,
  { namespace, name, subresource }: { namespace: string; name?: string | undefined; subresource?: string | undefined },
): string {
  const { group, version, plural } = resource;
  const api = versionPath(group === '' ? version : `${group}/${version}`);
  const place = namespace === '' ? [] : ['namespaces', namespace];
  const parts = [...place, plural, name, subresource].filter((part) => part !== undefined);
  return `${api}${parts.map((part) => `/${encodeURIComponent(part)}`).join('')}`;
}

/** What is asked of the API server: objects of a kind, or one of them; without a namespace in the whole cluster. */
export type Asked = {
  /** `v1` where it is not given. */
  readonly apiVersion?: string;
  /** With its subresource: `pods/log`. */
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name?: string;
};

/** The path of a request, and the right that it needs. */
export function requestFor(
  verb: KubeRequest['rule']['verb'],
  { apiVersion = 'v1', resource, namespace, name }: Asked,
): Pick<KubeRequest, 'path' | 'rule'> {
  const api = splitVersion(apiVersion);
  const [plural = '', subresource] = resource.split('/');
  return {
    path: objectPath({ ...api, plural }, { namespace: namespace ?? '', name, subresource }),
    rule: { verb, group: api.group, resource, namespace },
  };
}
