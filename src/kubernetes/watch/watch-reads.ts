import type { Clock, ReadBudget, ReadContext } from '../../app/ports.ts';
import type { WatchScope } from '../../app/watch-ports.ts';
import type { KubeHttp, KubeRequest } from '../api/http.ts';
import { requestFor } from '../api/resource.ts';

/** What the requests of a watch share. */
export type WatchReads = {
  readonly http: KubeHttp;
  readonly clock: Clock;
  readonly agent: string;
  readonly scope: WatchScope;
};

/** A request for the pods of a scope, over connections of its own. */
export function podsRequest(verb: 'list' | 'watch', { scope }: WatchReads, query: KubeRequest['query']): KubeRequest {
  const { namespace, selector } = scope;
  return {
    ...requestFor(verb, { resource: 'pods', namespace }),
    query: { ...query, labelSelector: selector },
    lane: 'watches',
  };
}

/** A context for one list or one connection: a watch has no triage whose budget it could spend. */
export function contextOf({ agent }: WatchReads, signal: AbortSignal, budget: ReadBudget): ReadContext {
  return { signal, budget, progress: () => undefined, agent };
}

export function createReadLimits(most: { readonly calls: number; readonly bytes: number }): ReadBudget {
  let [calls, bytes] = [0, 0];
  return {
    take: () => calls++ < most.calls,
    addBytes(count) {
      bytes += count;
    },
    get bytesLeft() {
      return Math.max(0, most.bytes - bytes);
    },
    allowDeepScan: () => undefined,
    cost: () => ({ calls, logCalls: 0, bytes }),
  };
}

/** An abort signal that follows `parent` until it is ended. `AbortSignal.any` would leave something of each connection with a signal that lives as long as the process. */
export function openSignal(parent: AbortSignal): {
  readonly signal: AbortSignal;
  abort(): void;
  end(): void;
} {
  const own = new AbortController();
  const abort = () => own.abort(parent.reason);
  if (parent.aborted) abort();
  else parent.addEventListener('abort', abort, { once: true });
  return {
    signal: own.signal,
    abort: () => own.abort(),
    end: () => parent.removeEventListener('abort', abort),
  };
}
