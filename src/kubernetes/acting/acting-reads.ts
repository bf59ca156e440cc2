import type { ActContext, KubeObject, ObjectRead } from '../../app/acting-ports.ts';
import type { ObjectRef } from '../../model/plan.ts';
import { isCut, isObject, itemsOf, nextOf } from '../api/objects.ts';
import { missingRight } from '../api/rbac.ts';
import { objectPath, type Resource, versionPath } from '../api/resource.ts';
import { deniedImpersonation } from './access-review.ts';
import { type ActAnswer, type ActHttp, sayStatusOf } from './act-http.ts';
import type { ResourceFinder } from './resource-finder.ts';

export type ActingReads = {
  object(ref: Omit<ObjectRef, 'uid'>, context: ActContext): Promise<ObjectRead>;
  /** Objects of a kind, as many as `limit`, from where an answer before has left off; `gone` where the kind is not served at all. */
  list(
    resource: Resource & { readonly kind: string },
    how: {
      readonly namespace: string;
      readonly labelSelector?: string;
      readonly limit: number;
      readonly continue?: string | undefined;
    },
    context: ActContext,
  ): Promise<ListRead>;
};

export type ListRead =
  | {
      readonly kind: 'found';
      readonly items: readonly KubeObject[];
      readonly cut: boolean;
      readonly next: string | undefined;
    }
  | Exclude<ObjectRead, { readonly kind: 'found' }>;

type Asked = { readonly resource: Resource; readonly verb: 'get' | 'list'; readonly namespace: string };

/** Reads in the acting identity. None throws. */
export function createActingReads(
  http: ActHttp,
  { find, impersonate }: { readonly find: ResourceFinder; readonly impersonate: string | undefined },
): ActingReads {
  // Who may not list a kind is refused before the API server looks whether it serves that kind at all; discovery is open to all.
  const isServed = async ({ group, version }: Resource, context: ActContext): Promise<boolean> => {
    if (group === '') return true;
    const answer = await http.ask({ method: 'GET', path: versionPath(`${group}/${version}`) }, context);
    return answer.kind === 'lost' || answer.status !== 404;
  };
  const failed = async (
    answer: ActAnswer,
    { resource, verb, namespace }: Asked,
    context: ActContext,
  ): Promise<Exclude<ObjectRead, { kind: 'found' }>> => {
    if (answer.kind === 'lost') return { kind: 'unavailable', why: answer.why };
    const { status, body, asker, subject } = answer;
    if (status === 404 || status === 410) return { kind: 'gone' };
    if (status !== 403) return { kind: 'unavailable', why: sayStatusOf(answer) };
    if (!(await isServed(resource, context))) return { kind: 'gone' };
    const where = namespace === '' ? undefined : namespace;
    const rule = missingRight({ verb, group: resource.group, resource: resource.plural, namespace: where }, subject);
    return { kind: 'forbidden', rule: deniedImpersonation(body, { impersonate, asker }) ?? rule };
  };

  return {
    async object({ apiVersion, kind, namespace, name }, context) {
      const found = await find({ apiVersion, kind }, context);
      if (found.kind === 'no-kind') return { kind: 'gone' };
      if (found.kind === 'unavailable') return { kind: 'unavailable', why: found.why };
      const { resource } = found;
      const answer = await http.ask({ method: 'GET', path: objectPath(resource, { namespace, name }) }, context);
      if (answer.kind === 'lost' || answer.status !== 200) {
        return failed(answer, { resource, verb: 'get', namespace }, context);
      }
      if (!isObject(answer.body)) return { kind: 'unavailable', why: 'the answer is not JSON' };
      return { kind: 'found', object: answer.body };
    },
    async list(resource, { namespace, labelSelector, limit, continue: from }, context) {
      const query = {
        limit,
        ...(labelSelector !== undefined && { labelSelector }),
        ...(from !== undefined && { continue: from }),
      };
      const answer = await http.ask({ method: 'GET', path: objectPath(resource, { namespace }), query }, context);
      if (answer.kind === 'lost' || answer.status !== 200) {
        return failed(answer, { resource, verb: 'list', namespace }, context);
      }
      if (!isObject(answer.body)) return { kind: 'unavailable', why: 'the answer is not JSON' };
      const { group, version, kind } = resource;
      // Items of a list bear neither kind nor apiVersion.
      const named = { apiVersion: group === '' ? version : `${group}/${version}`, kind };
      const items = itemsOf(answer.body).map((item) => ({ ...named, ...(isObject(item) ? item : {}) }));
      return { kind: 'found', items, cut: isCut(answer.body), next: nextOf(answer.body) };
    },
  };
}

/** Why a read gave nothing, in words. */
export function sayUnread(read: Exclude<ObjectRead, { readonly kind: 'found' }>): string {
  if (read.kind === 'gone') return 'it does not exist';
  return read.kind === 'forbidden' ? `missing right: ${read.rule.split('\n')[0]}` : read.why;
}
