import { apiVersionOf, RESOURCES } from './resources.ts';
import { type Answer, json } from './status.ts';

/** The resources of one version of a group, `/apis/apps/v1`; undefined for any other path. */
export function answerDiscovery(path: string): Answer | undefined {
  const version = /^\/(?:api|apis)\/(v[^/]+|[^/]+\/[^/]+)$/.exec(path)?.[1];
  const served = RESOURCES.filter((resource) => apiVersionOf(resource) === version);
  if (version === undefined || served.length === 0) return undefined;
  const verbs = ['create', 'get', 'list', 'patch'];
  const resources = served.flatMap(({ plural, kind, namespaced, scales }) => [
    { name: plural, singularName: kind.toLowerCase(), namespaced, kind, verbs },
    ...(scales ? [{ name: `${plural}/scale`, singularName: '', namespaced, kind: 'Scale', verbs }] : []),
  ]);
  return json({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: version, resources });
}
