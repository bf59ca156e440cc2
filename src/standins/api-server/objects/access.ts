import type { ApiPath } from './resources.ts';
import { type Answer, refuse } from './status.ts';
import type { Denial } from './world.ts';

/** Whom the stand-in's token belongs to. */
export const USER = 'system:serviceaccount:oombot:oombot-read';

/** Who asks, and as whom. */
export type Caller = { readonly user: string; readonly impersonated: string | null };

export function callerOf(headers: Readonly<Record<string, string | undefined>>): Caller {
  return { user: USER, impersonated: headers['impersonate-user'] ?? null };
}

const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** The refusal of an impersonation that the caller has no right to; undefined where all is well. */
export function deniedImpersonation(denied: readonly Denial[], { user, impersonated }: Caller): Answer | undefined {
  const account = ACCOUNT.exec(impersonated ?? '');
  if (account === null) return undefined;
  const [, namespace, name] = account;
  const resource = { group: '', version: 'v1', plural: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true };
  const path = { resource, namespace, name, subresource: undefined, rest: '' };
  return deniedBy(denied, 'impersonate', path, { user, impersonated: null });
}

export function unauthorised(): Answer {
  return refuse(401, 'Unauthorized', 'Unauthorized');
}

/** The refusal of the first denial that covers the request; undefined where the caller may. */
export function deniedBy(denied: readonly Denial[], verb: string, path: ApiPath, caller: Caller): Answer | undefined {
  const user = caller.impersonated ?? caller.user;
  const resource = resourceOf(path);
  const hit = denied.some(
    (denial) =>
      (denial.verb ?? verb) === verb &&
      (denial.resource ?? resource) === resource &&
      (denial.namespace === undefined || denial.namespace === path.namespace) &&
      (denial.user ?? user) === user,
  );
  if (!hit) return undefined;
  const { group, plural } = path.resource;
  const where = path.namespace === undefined ? 'at the cluster scope' : `in the namespace "${path.namespace}"`;
  const what = `${plural}${group === '' ? '' : `.${group}`}${path.name === undefined ? '' : ` "${path.name}"`}`;
  const words = `${what} is forbidden: User "${user}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`;
  return refuse(403, 'Forbidden', words, { name: path.name, group, kind: plural });
}

function resourceOf({ resource, subresource }: ApiPath): string {
  // The two kinds of pods are told apart, as RBAC does by their groups.
  const plural = resource.group === 'metrics.k8s.io' ? `${resource.plural}.metrics.k8s.io` : resource.plural;
  return subresource === undefined ? plural : `${plural}/${subresource}`;
}
