import { apiVersionOf, RESOURCES, type Resource, SHORT_NAMES } from './resources.ts';
import { type Answer, json } from './status.ts';

const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
const SCALE_VERBS = ['get', 'patch', 'update'];
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** What the API server serves, by version (`/apis/apps/v1`) or all at once where the client takes that; undefined for any other path. */
export function answerDiscovery(path: string, accept: string): Answer | undefined {
  if (path === '/version') return json({ major: '1', minor: '34', gitVersion: 'v1.34.1', platform: 'linux/amd64' });
  if (path === '/readyz' || path === '/livez') return { kind: 'text', status: 200, chunks: ['ok'] };
  if (path === '/api' || path === '/apis') {
    if (accept.includes('as=APIGroupDiscoveryList')) return aggregated(path === '/api');
    return json(path === '/api' ? { kind: 'APIVersions', apiVersion: 'v1', versions: ['v1'] } : groupList());
  }
  const version = /^\/(?:api|apis)\/(v[^/]+|[^/]+\/[^/]+)$/.exec(path)?.[1];
  const served = RESOURCES.filter((resource) => apiVersionOf(resource) === version);
  if (version === undefined || served.length === 0) return undefined;
  return json({
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: version,
    resources: served.flatMap(resourceRows),
  });
}

// What `kubectl get all` lists.
const IN_ALL = ['Pod', 'Service', 'Deployment', 'ReplicaSet', 'StatefulSet', 'HorizontalPodAutoscaler'];
const categoriesOf = (kind: string): { categories?: string[] } =>
  IN_ALL.includes(kind) ? { categories: ['all'] } : {};

function resourceRows({ plural, kind, namespaced, scales }: Resource): unknown[] {
  const shortNames = SHORT_NAMES[kind];
  const scale = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  return [
    {
      name: plural,
      singularName: kind.toLowerCase(),
      namespaced,
      kind,
      verbs: VERBS,
      ...(shortNames && { shortNames }),
      ...categoriesOf(kind),
    },
    ...(scales ? [{ name: `${plural}/scale`, singularName: '', namespaced, ...scale, verbs: SCALE_VERBS }] : []),
    ...(kind === 'Pod' ? [{ name: `${plural}/log`, singularName: '', namespaced, kind, verbs: ['get'] }] : []),
  ];
}

function groupsServed(isCore: boolean): [string, Resource[]][] {
  return [
    ...Map.groupBy(
      RESOURCES.filter(({ group }) => (group === '') === isCore),
      ({ group }) => group,
    ),
  ];
}

function groupList(): unknown {
  const groups = groupsServed(false).map(([name, resources]) => {
    const versions = [...new Set(resources.map(({ version }) => version))].map((version) => ({
      groupVersion: `${name}/${version}`,
      version,
    }));
    return { name, versions, preferredVersion: versions[0] };
  });
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

function aggregated(isCore: boolean): Answer {
  const items = groupsServed(isCore).map(([name, resources]) => ({
    metadata: { name },
    versions: versionsOf(resources),
  }));
  const answer = json({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items });
  return answer.kind === 'json' ? { ...answer, headers: { 'content-type': AGGREGATED } } : answer;
}

function versionsOf(resources: readonly Resource[]): unknown {
  return [...Map.groupBy(resources, ({ version }) => version)].map(([version, served]) => ({
    version,
    freshness: 'Current',
    resources: served.map(({ group, plural, kind, namespaced, scales }) => ({
      resource: plural,
      responseKind: { group, version, kind },
      scope: namespaced ? 'Namespaced' : 'Cluster',
      singularResource: kind.toLowerCase(),
      shortNames: SHORT_NAMES[kind] ?? [],
      ...categoriesOf(kind),
      verbs: VERBS,
      ...(scales && {
        subresources: [
          {
            subresource: 'scale',
            responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
            verbs: SCALE_VERBS,
          },
        ],
      }),
    })),
  }));
}
