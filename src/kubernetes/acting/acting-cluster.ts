import type { ActContext, ActingCluster, WorkloadPod, Write, WriteOutcome } from '../../app/acting-ports.ts';
import type { Clock } from '../../app/ports.ts';
import type { PlanTarget } from '../../model/plan.ts';
import { missingRight } from '../api/rbac.ts';
import { objectPath, type Resource } from '../api/resource.ts';
import { namedSelector, ownSelector } from '../api/selector.ts';
import type { Session } from '../api/session.ts';
import { deniedImpersonation, reviewAccess, ruleOf } from './access-review.ts';
import { type ActAnswer, type ActHttp, createActHttp } from './act-http.ts';
import { type ActingReads, createActingReads, sayUnread } from './acting-reads.ts';
import { readFailedCreate } from './failed-create.ts';
import { outcomeOf, sayRefusal } from './outcome.ts';
import { createResourceFinder } from './resource-finder.ts';
import { PODS, readSurroundings } from './surroundings.ts';
import { readWorkloadPod } from './workload-pod.ts';

export type ActingClusterOptions = {
  readonly clusterName: string;
  readonly session: Session;
  readonly clock: Clock;
  /** `system:serviceaccount:<namespace>:oombot-act`; left out, the session's own identity acts. */
  readonly impersonate?: string | undefined;
  readonly timeoutMs?: number | undefined;
};

type Edge = { readonly http: ActHttp; readonly reads: ActingReads; readonly impersonate: string | undefined };

const MANAGER = 'oombot';
// An answer of 100 pods stays below what is read of one; five of them end within the time of one look.
const PAGE = 100;
const MOST_PAGES = 5;

/** Writes to one cluster, and the reads around them. A write that was not answered is never sent again. */
export function createActingCluster(options: ActingClusterOptions): ActingCluster {
  const { impersonate, clusterName } = options;
  const http = createActHttp(options);
  // Events are read by the reading identity: acting needs no right of its own for them.
  const reader = createActHttp({ ...options, impersonate: undefined });
  const find = createResourceFinder(http);
  const reads = createActingReads(http, { find, impersonate });
  const edge: Edge = { http, reads, impersonate };
  return {
    name: clusterName,
    read: (ref, context) => reads.object(ref, context),
    async mayWrite(write, context) {
      const found = await find(write.object, context);
      if (found.kind === 'unavailable') return { kind: 'could-not-tell', why: found.why };
      if (found.kind === 'no-kind') return { kind: 'could-not-tell', why: noKind(write.object) };
      return review(edge, { write, resource: found.resource }, context);
    },
    async write(write, context) {
      const found = await find(write.object, context);
      if (found.kind === 'unavailable') return found;
      if (found.kind === 'no-kind') return { kind: 'refused', message: noKind(write.object) };
      return sendWrite(edge, { write, resource: found.resource }, context);
    },
    pods: (target, context) => readPods(reads, target, context),
    failedCreate: (target, context) => readFailedCreate(reader, target, context),
    surroundings: (target, context) => readSurroundings(reads, target, context),
  };
}

function noKind({ kind, apiVersion }: Write['object']): string {
  return `the API server has no ${kind} in ${apiVersion}`;
}

function review(edge: Edge, { write, resource }: Sending, context: ActContext) {
  const asked = { rule: ruleOf(write, resource), name: write.object.name, version: resource.version };
  return reviewAccess(edge, asked, context);
}

type Sending = { readonly write: Pick<Write, 'object' | 'subresource' | 'body'>; readonly resource: Resource };

async function sendWrite(
  edge: Edge,
  { write, resource }: Sending & { write: Write },
  context: ActContext,
): Promise<WriteOutcome> {
  const { object, subresource, body, dryRun } = write;
  const { namespace, name } = object;
  const query = { fieldManager: MANAGER, fieldValidation: 'Strict', ...(dryRun && { dryRun: 'All' }) };
  const answer = await edge.http.send(
    body.kind === 'patch'
      ? {
          method: 'PATCH',
          path: objectPath(resource, { namespace, name, ...(subresource === 'scale' && { subresource }) }),
          query,
          contentType: 'application/json-patch+json',
          body: body.patch,
        }
      : { method: 'POST', path: objectPath(resource, { namespace }), query, body: body.manifest },
    context,
  );
  const outcome = outcomeOf(answer, write);
  return outcome.kind === 'denied' ? denied(edge, { write, resource, answer }, context) : outcome;
}

// RBAC and admission both answer 403: whether a right is missing, only a review tells.
async function denied(
  edge: Edge,
  { write, resource, answer }: Sending & { answer: ActAnswer },
  context: ActContext,
): Promise<WriteOutcome> {
  const { body, subject, asker } =
    answer.kind === 'answered' ? answer : { body: undefined, subject: undefined, asker: undefined };
  const account = deniedImpersonation(body, { impersonate: edge.impersonate, asker });
  if (account !== undefined) return { kind: 'forbidden', rule: account };
  const access = await review(edge, { write, resource }, context);
  if (access.kind === 'yes') return { kind: 'refused', message: sayRefusal(answer) };
  return {
    kind: 'forbidden',
    rule: access.kind === 'no' ? access.rule : missingRight(ruleOf(write, resource), subject),
  };
}

async function readPods(
  reads: ActingReads,
  target: PlanTarget,
  context: ActContext,
): ReturnType<ActingCluster['pods']> {
  const { object, container } = target;
  const selector = namedSelector(object) ?? (await readSelector(reads, target, context));
  if (typeof selector !== 'string') return { kind: 'could-not-tell', why: selector.why };
  const { namespace } = object;
  const pods: WorkloadPod[] = [];
  let next: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const how = { namespace, labelSelector: selector, limit: PAGE, continue: next };
    const read = await reads.list(PODS, how, context);
    if (read.kind !== 'found') return { kind: 'could-not-tell', why: `pods: ${sayUnread(read)}` };
    pods.push(...read.items.flatMap((item) => readWorkloadPod(item, container) ?? []));
    next = read.next;
    if (next === undefined) return { kind: 'read', pods };
  }
  // Some of them would be counted as all.
  return { kind: 'could-not-tell', why: `more than ${PAGE * MOST_PAGES} pods` };
}

async function readSelector(
  reads: ActingReads,
  { object }: PlanTarget,
  context: ActContext,
): Promise<string | { readonly why: string }> {
  const read = await reads.object(object, context);
  const name = `${object.kind}/${object.name}`;
  if (read.kind !== 'found') return { why: `${name}: ${sayUnread(read)}` };
  return ownSelector(read.object) ?? { why: `${name} has no pod selector` };
}
