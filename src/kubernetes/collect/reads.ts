import type { Clock, ReadContext } from '../../app/ports.ts';
import type { NotRead } from '../../model/snapshot.ts';
import type { KubeFailure } from '../failure.ts';
import type { KubeHttp, KubeRequest } from '../http.ts';

/** An answer, and how long the chain of calls was that led to it (ms). */
export type Read =
  | { readonly kind: 'ok'; readonly body: unknown; readonly after: number }
  | { readonly kind: 'none'; readonly failure: KubeFailure; readonly after: number };

/** Reads of one collection, with what could not be had and the longest chain of dependent calls. */
export type Reads = {
  /** `after` is the chain that this call had to wait for. What fails is noted under `item`. */
  json(item: string, request: KubeRequest, after: number): Promise<Read>;
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
  return {
    async json(item, request, before) {
      const began = clock.now();
      const answer = await http.getJson(request, context);
      const after = before + clock.now() - began;
      chain(after);
      if (answer.kind === 'ok') return { ...answer, after };
      const { reason, detail } = answer.failure;
      missing.push({ item, reason, detail });
      return { kind: 'none', failure: answer.failure, after };
    },
    note: (notRead) => {
      missing.push(notRead);
    },
    chain,
    notRead: () => missing,
    longestMs: () => longest,
  };
}
