import { z } from 'zod';
import { type Caller, deniedBy } from '../objects/access.ts';
import { RESOURCES } from '../objects/resources.ts';
import { type Answer, json } from '../objects/status.ts';
import type { ApiWorld } from '../objects/world.ts';
import { badRequest } from './refusals.ts';

const Review = z.looseObject({
  spec: z.looseObject({
    resourceAttributes: z.looseObject({
      verb: z.string(),
      group: z.string().default(''),
      resource: z.string(),
      subresource: z.string().optional(),
      namespace: z.string().optional(),
      name: z.string().optional(),
    }),
  }),
});

/** SelfSubjectAccessReview: what the table of denials says to the caller. */
export function reviewAccess({ denied }: ApiWorld, body: unknown, caller: Caller): Answer {
  const review = Review.safeParse(body);
  if (!review.success) return badRequest('a review needs spec.resourceAttributes');
  const { verb, group, resource: plural, subresource, namespace, name } = review.data.spec.resourceAttributes;
  const resource = RESOURCES.find((one) => one.group === group && one.plural === plural) ?? {
    group,
    version: 'v1',
    plural,
    kind: plural,
    namespaced: true,
  };
  const path = { resource, namespace, name, subresource, rest: '' };
  const allowed = deniedBy(denied, verb, path, caller) === undefined;
  const reason = allowed ? 'RBAC: allowed by RoleBinding' : '';
  return json({ ...review.data, status: { allowed, ...(reason !== '' && { reason }) } }, 201);
}
