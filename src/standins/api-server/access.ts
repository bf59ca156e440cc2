import type { ApiPath } from './resources.ts';
import { type Answer, refuse } from './status.ts';
import type { Denial } from './world.ts';

const USER = 'system:serviceaccount:oombot:oombot-read';

export function unauthorised(): Answer {
  return refuse(401, 'Unauthorized', 'Unauthorized');
}

/** The refusal of the first denial that covers the request; undefined where the caller may. */
export function deniedBy(denied: readonly Denial[], verb: string, path: ApiPath): Answer | undefined {
  const resource = resourceOf(path);
  const hit = denied.some(
    (denial) =>
      (denial.verb ?? verb) === verb &&
      (denial.resource ?? resource) === resource &&
      (denial.namespace === undefined || denial.namespace === path.namespace),
  );
  if (!hit) return undefined;
  const { group, plural } = path.resource;
  const where = path.namespace === undefined ? 'at the cluster scope' : `in the namespace "${path.namespace}"`;
  const what = `${plural}${group === '' ? '' : `.${group}`}${path.name === undefined ? '' : ` "${path.name}"`}`;
  const words = `${what} is forbidden: User "${USER}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`;
  return refuse(403, 'Forbidden', words, { name: path.name, group, kind: plural });
}

function resourceOf({ resource, subresource }: ApiPath): string {
  // The two kinds of pods are told apart, as RBAC does by their groups.
  const plural = resource.group === 'metrics.k8s.io' ? `${resource.plural}.metrics.k8s.io` : resource.plural;
  return subresource === undefined ? plural : `${plural}/${subresource}`;
}
