import type { Clock, PodTarget, ReadContext } from '../../app/ports.ts';
import { Pod } from '../../model/kubernetes.ts';
import type { NotRead } from '../../model/snapshot.ts';
import { type KubeFailure, toError } from '../api/failure.ts';
import type { KubeHttp, KubeRequest } from '../api/http.ts';
import { isCut, itemsOf, strip } from '../api/objects.ts';
import { requestFor } from '../api/resource.ts';

/** An answer, and how long the chain of calls was that led to it (ms). */
export type Read =
  | { readonly kind: 'ok'; readonly body: unknown; readonly after: number }
  | { readonly kind: 'none'; readonly failure: KubeFailure; readonly after: number };

/** Reads of one collection, with what could not be had and the longest chain of dependent calls. */
export type Reads = {
  /** `after` is the chain that this call had to wait for. What fails is noted under `item`. */
  json(item: string, request: KubeRequest, after: number): Promise<Read>;
  /** The items of a list; undefined where it could not be read. */
  items(item: string, request: KubeRequest, after: number): Promise<readonly unknown[] | undefined>;
  note(notRead: NotRead): void;
  /** A chain that was measured elsewhere. */
  chain(ms: number): void;
  notRead(): readonly NotRead[];
  longestMs(): number;
};

export function createReads(http: KubeHttp, clock: Clock, context: ReadContext): Reads {
  const missing: NotRead[] = [];
  let longest = 0;
  const chain = (ms: number): void => {
    longest = Math.max(longest, ms);
  };
  const json: Reads['json'] = async (item, request, before) => {
    const began = clock.monotonic();
    const answer = await http.getJson(request, context);
    const after = before + clock.monotonic() - began;
    chain(after);
    if (answer.kind === 'ok') return { ...answer, after };
    const { reason, detail } = answer.failure;
    missing.push({ item, reason, detail });
    return { kind: 'none', failure: answer.failure, after };
  };
  return {
    json,
    async items(item, request, after) {
      const read = await json(item, request, after);
      if (read.kind === 'none') return undefined;
      const items = itemsOf(read.body);
      if (isCut(read.body))
        missing.push({ item, reason: 'budget', detail: `only the first ${items.length} were read` });
      return items;
    },
    note: (notRead) => {
      missing.push(notRead);
    },
    chain,
    notRead: () => missing,
    longestMs: () => longest,
  };
}

/** The pod as text of pod.json and as a value. */
export type PodRead = { readonly json: string; readonly pod: Pod; readonly after: number };

/** The pod; undefined where it is gone. Throws OomError where the cluster does not give it for another reason. */
export async function readPod(reads: Reads, target: PodTarget): Promise<PodRead | undefined> {
  const read = await reads.json('pod.json', podRequest(target, false), 0);
  if (read.kind === 'none' && read.failure.reason === 'gone') return undefined;
  if (read.kind === 'none') throw toError(read.failure);
  return toPodRead(read);
}

/** The pod once more, after its logs were read; undefined where it cannot be had. */
export async function readPodAgain(reads: Reads, target: PodTarget, after: number): Promise<PodRead | undefined> {
  const read = await reads.json('second look at the pod', podRequest(target, true), after);
  return read.kind === 'ok' ? toPodRead(read) : undefined;
}

function toPodRead(read: Extract<Read, { kind: 'ok' }>): PodRead {
  const object = { apiVersion: 'v1', kind: 'Pod', ...strip(read.body) };
  return { json: JSON.stringify(object), pod: Pod.parse(object), after: read.after };
}

function podRequest({ namespace, pod }: PodTarget, prepaid: boolean): KubeRequest {
  return { ...requestFor('get', { resource: 'pods', namespace, name: pod }), prepaid };
}
