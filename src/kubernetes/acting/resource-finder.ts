import { z } from 'zod';
import type { ActContext } from '../../app/acting-ports.ts';
import type { ObjectRef } from '../../model/plan.ts';
import { knownResource, type Resource, splitVersion, versionPath } from '../api/resource.ts';
import { type ActHttp, isOutOfOrder } from './act-http.ts';

export type FoundResource =
  | { readonly kind: 'found'; readonly resource: Resource }
  | { readonly kind: 'no-kind' }
  | { readonly kind: 'unavailable'; readonly why: string; readonly retryAfterMs: number | null };

export type ResourceFinder = (
  ref: Pick<ObjectRef, 'apiVersion' | 'kind'>,
  context: ActContext,
) => Promise<FoundResource>;

const ResourceList = z.looseObject({ resources: z.array(z.looseObject({ name: z.string(), kind: z.string() })) });
type Names = z.infer<typeof ResourceList>['resources'];

/** Finds where a kind is served: from the table, else by one discovery call for each version, which is remembered. */
export function createResourceFinder(http: ActHttp): ResourceFinder {
  const served = new Map<string, Names>();
  return async ({ apiVersion, kind }, context) => {
    const known = knownResource(apiVersion, kind);
    if (known !== undefined) return { kind: 'found', resource: known };
    const remembered = served.get(apiVersion)?.find((one) => isOf(one, kind));
    if (remembered !== undefined) return found(apiVersion, remembered.name);
    const answer = await http.ask({ method: 'GET', path: versionPath(apiVersion) }, context);
    if (answer.kind === 'lost') return { kind: 'unavailable', why: answer.why, retryAfterMs: null };
    const { status, body, retryAfterMs } = answer;
    if (isOutOfOrder(status)) {
      return { kind: 'unavailable', why: `discovery of ${apiVersion} failed (${status})`, retryAfterMs };
    }
    const list = ResourceList.safeParse(body);
    if (status !== 200 || !list.success) return { kind: 'no-kind' };
    served.set(apiVersion, list.data.resources);
    const match = list.data.resources.find((one) => isOf(one, kind));
    return match === undefined ? { kind: 'no-kind' } : found(apiVersion, match.name);
  };
}

// `deployments/scale` is of kind Scale, and some subresources bear the kind of their parent.
function isOf({ name, kind }: Names[number], wanted: string): boolean {
  return kind === wanted && !name.includes('/');
}

function found(apiVersion: string, plural: string): FoundResource {
  return { kind: 'found', resource: { ...splitVersion(apiVersion), plural } };
}
