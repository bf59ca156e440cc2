import type { WatchedPod } from '../../app/watch-ports.ts';
import { isObject, itemsOf, nextOf } from '../api/objects.ts';
import { readJson } from '../api/read-text.ts';
import { contextOf, createReadLimits, openSignal, podsRequest, type WatchReads } from './watch-reads.ts';
import { readWatchedPod } from './watched-pod.ts';

export type PodList =
  | {
      readonly kind: 'listed';
      readonly pods: readonly WatchedPod[];
      readonly unreadable: number;
      /** Where a watch goes on. */
      readonly version: string;
    }
  | { readonly kind: 'failed'; readonly why: string; readonly retryAfter?: number | undefined };

const PAGE = 500;
// 25,000 pods of one namespace; with tries again, no more than twice as many calls.
const MOST_PAGES = 50;
// A pod has about 10 kB.
const PAGE_BYTES = 32 * 1024 * 1024;
const ALL_BYTES = 512 * 1024 * 1024;
const LONGEST_MS = 120_000;

/** All pods of a scope, page by page, of which only what a watch keeps is held. A list without an end fails. */
export async function listPods(reads: WatchReads, signal: AbortSignal): Promise<PodList> {
  const limit = reads.clock.limit(LONGEST_MS);
  const open = openSignal(signal);
  limit.signal.addEventListener('abort', open.abort, { once: true });
  try {
    return await readPages(reads, open.signal);
  } finally {
    limit.signal.removeEventListener('abort', open.abort);
    limit.end();
    open.end();
  }
}

async function readPages(reads: WatchReads, signal: AbortSignal): Promise<PodList> {
  const context = contextOf(reads, signal, createReadLimits({ calls: 2 * MOST_PAGES, bytes: ALL_BYTES }));
  const pods: WatchedPod[] = [];
  let unreadable = 0;
  let version: string | undefined;
  let next: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const request = { ...podsRequest('list', reads, { limit: PAGE, continue: next }), maxBytes: PAGE_BYTES };
    const text = await reads.http.getText(request, context);
    if (text.kind === 'failed') {
      return { kind: 'failed', why: `pods not listed: ${text.failure.detail}`, retryAfter: text.failure.retryAfter };
    }
    // Some megabytes are parsed at once.
    await reads.clock.breathe();
    const answer = readJson(text.body);
    if (answer.kind === 'failed') return { kind: 'failed', why: answer.failure.detail };
    // Later pages may be newer; what happened since the first one is told again by the watch.
    version ??= versionOf(answer.body);
    if (version === undefined) return { kind: 'failed', why: 'the answer is not a list of pods' };
    for (const item of itemsOf(answer.body)) {
      const pod = readWatchedPod(item);
      if (pod === undefined) unreadable += 1;
      else pods.push(pod);
    }
    next = nextOf(answer.body);
    if (next === undefined) return { kind: 'listed', pods, unreadable, version };
  }
  return { kind: 'failed', why: `the list of pods did not end after ${MOST_PAGES} pages` };
}

/** The resource version of an object or a list; undefined where it has none. */
export function versionOf(object: unknown): string | undefined {
  const version = isObject(object) && isObject(object.metadata) ? object.metadata.resourceVersion : undefined;
  return typeof version === 'string' && version !== '' ? version : undefined;
}
