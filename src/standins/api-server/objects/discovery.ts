import { apiVersionOf, RESOURCES, type Resource } from './resources.ts';
import { type Answer, json } from './status.ts';

const VERBS = ['create', 'get', 'list', 'patch'];
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** What the API server serves, by version (`/apis/apps/v1`) or all at once, as kubectl asks for it; undefined for any other path. */
export function answerDiscovery(path: string): Answer | undefined {
  if (path === '/version') return json({ major: '1', minor: '34', gitVersion: 'v1.34.1' });
  if (path === '/api' || path === '/apis') return aggregated(path === '/api');
  const version = /^\/(?:api|apis)\/(v[^/]+|[^/]+\/[^/]+)$/.exec(path)?.[1];
  const served = RESOURCES.filter((resource) => apiVersionOf(resource) === version);
  if (version === undefined || served.length === 0) return undefined;
  const resources = served.flatMap(({ plural, kind, namespaced, scales }) => [
    { name: plural, singularName: kind.toLowerCase(), namespaced, kind, verbs: VERBS },
    ...(scales ? [{ name: `${plural}/scale`, singularName: '', namespaced, kind: 'Scale', verbs: VERBS }] : []),
  ]);
  return json({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: version, resources });
}

function aggregated(isCore: boolean): Answer {
  const groups = Map.groupBy(
    RESOURCES.filter(({ group }) => (group === '') === isCore),
    ({ group }) => group,
  );
  const items = [...groups].map(([name, resources]) => ({ metadata: { name }, versions: versionsOf(resources) }));
  const answer = json({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items });
  return answer.kind === 'json' ? { ...answer, headers: { 'content-type': AGGREGATED } } : answer;
}

function versionsOf(resources: readonly Resource[]): unknown {
  return [...Map.groupBy(resources, ({ version }) => version)].map(([version, served]) => ({
    version,
    freshness: 'Current',
    resources: served.map(({ group, plural, kind, namespaced }) => ({
      resource: plural,
      responseKind: { group, version, kind },
      scope: namespaced ? 'Namespaced' : 'Cluster',
      singularResource: kind.toLowerCase(),
      verbs: VERBS,
    })),
  }));
}
