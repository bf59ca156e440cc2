import { z } from 'zod';
import type { ActContext, Write } from '../../app/acting-ports.ts';
import { type Subject, serviceAccountOf } from '../api/identity.ts';
import { missingRight, type Rule } from '../api/rbac.ts';
import type { Resource } from '../api/resource.ts';
import { type ActHttp, sayStatusOf } from './act-http.ts';
import { refusedResource } from './outcome.ts';

export type Permission =
  | { readonly kind: 'yes' }
  | { readonly kind: 'no'; readonly rule: string }
  | { readonly kind: 'could-not-tell'; readonly why: string };

const PATH = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const Review = z.looseObject({ status: z.looseObject({ allowed: z.boolean() }) });

/** Asks the API server whether the acting identity has a right. */
export async function reviewAccess(
  { http, impersonate }: { readonly http: ActHttp; readonly impersonate: string | undefined },
  { rule, name, version }: { readonly rule: Rule; readonly name: string; readonly version: string },
  context: ActContext,
): Promise<Permission> {
  const [resource = '', subresource] = rule.resource.split('/');
  const { verb, group, namespace } = rule;
  const attributes = { verb, group, version, resource, namespace, ...(subresource && { subresource }) };
  // The name of what is to be created counts for nothing: RBAC cannot limit `create` by name.
  const resourceAttributes = verb === 'create' ? attributes : { ...attributes, name };
  const body = { kind: 'SelfSubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', spec: { resourceAttributes } };
  const answer = await http.ask({ method: 'POST', path: PATH, body }, context);
  if (answer.kind === 'lost') return { kind: 'could-not-tell', why: answer.why };
  if (answer.status === 403) {
    const denied = deniedImpersonation(answer.body, { impersonate, asker: answer.asker });
    if (denied !== undefined) return { kind: 'no', rule: denied };
  }
  const review = Review.safeParse(answer.body);
  if (answer.status >= 300 || !review.success) {
    return { kind: 'could-not-tell', why: `the access review: ${sayStatusOf(answer)}` };
  }
  return review.data.status.allowed ? { kind: 'yes' } : { kind: 'no', rule: missingRight(rule, answer.subject) };
}

/** The right to act as the acting identity, where that is what a 403 is about; undefined where it is not. */
export function deniedImpersonation(
  body: unknown,
  { impersonate, asker }: { readonly impersonate: string | undefined; readonly asker: Subject | undefined },
): string | undefined {
  const account = serviceAccountOf(impersonate);
  if (account === undefined || refusedResource(body) !== 'serviceaccounts') return undefined;
  const { name, namespace } = account;
  return missingRight({ verb: 'impersonate', group: '', resource: 'serviceaccounts', namespace, name }, asker);
}

/** The right that a write needs. */
export function ruleOf(
  { subresource, body, object }: Pick<Write, 'object' | 'subresource' | 'body'>,
  { group, plural }: Resource,
): Rule {
  const resource = subresource === 'scale' ? `${plural}/scale` : plural;
  return { verb: body.kind === 'create' ? 'create' : 'patch', group, resource, namespace: object.namespace };
}
