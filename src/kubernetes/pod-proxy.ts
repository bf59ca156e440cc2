import type { EngineCall, EngineCaller, EngineReply } from '../app/acting-ports.ts';
import type { MetricsTarget, ReadBudget, ReadContext } from '../app/ports.ts';
import type { NotRead } from '../model/snapshot.ts';
import type { KubeFailure } from './api/failure.ts';
import type { KubeHttp } from './api/http.ts';
import { requestFor } from './api/resource.ts';

export type ProxyAnswer =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: NotRead['reason']; readonly detail: string };

/** Reads `path` of a port of a pod through the API server. Needs `get` on `pods/proxy`. */
export type PodProxy = (
  target: MetricsTarget,
  port: number,
  path: string,
  context: ReadContext,
) => Promise<ProxyAnswer>;

type Port = { readonly namespace: string; readonly pod: string; readonly port: number; readonly path: string };

function proxyRequest(verb: 'get' | 'create', { namespace, pod, port, path }: Port) {
  const { path: proxy, rule } = requestFor(verb, { resource: 'pods/proxy', namespace, name: `${pod}:${port}` });
  return { path: `${proxy}${path}`, rule, behind: `port ${port} of ${pod}` };
}

const MAX_BYTES = 4 * 1024 * 1024;

/** The pod proxy of the API server; one call of the budget, never throws. */
export function createPodProxy(http: KubeHttp): PodProxy {
  return async ({ namespace, pod }, port, path, context) => {
    const answer = await http.getText(
      {
        ...proxyRequest('get', { namespace, pod, port, path }),
        accept: 'text/plain',
        maxBytes: MAX_BYTES,
        // What fails here is the engine or the way to it; asking again would spend calls that logs need.
        tries: 1,
      },
      context,
    );
    if (answer.kind === 'ok') return { kind: 'text', text: answer.body };
    const { reason, detail } = answer.failure;
    return { kind: 'refused', reason, detail };
  };
}

const MOST_OF_A_REPLY = 64 * 1024;
/** Asks engines through the pod proxy of the API server. Needs `get` and `create` on `pods/proxy`. A key of the engine cannot be sent this way. */
export function createProxyCaller(http: KubeHttp): EngineCaller {
  return {
    async call(call, { signal, agent }) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(call.timeoutMs)]);
      const { namespace, pod, port, path, body } = call;
      const answer = await http.getText(
        {
          ...proxyRequest(body === null ? 'get' : 'create', { namespace, pod: pod.name, port, path }),
          maxBytes: MOST_OF_A_REPLY,
          tries: 1,
          ...(body !== null && { post: body }),
        },
        { signal: limit, agent, progress: () => undefined, budget: anyBudget() },
      );
      if (answer.kind === 'ok') return { kind: 'answered', status: 200, text: answer.body };
      return replyOf(answer.failure, call, { isOver: limit.aborted, isStopped: signal.aborted });
    },
  };
}

type Ended = { readonly isOver: boolean; readonly isStopped: boolean };

function replyOf(
  { status, detail, reason, isFromBehind }: KubeFailure,
  { port, pod }: EngineCall,
  { isOver, isStopped }: Ended,
): EngineReply {
  const who = `port ${port} of ${pod.name}`;
  if (isStopped) return { kind: 'no-way', why: 'no time left' };
  if (isOver) return { kind: 'silent', why: `${who} did not answer in time` };
  if (status === undefined) return { kind: 'no-way', why: detail };
  if (isFromBehind !== true && reason === 'forbidden') return { kind: 'no-way', why: detail };
  if (isFromBehind !== true && reason === 'unreachable') return { kind: 'silent', why: detail };
  return { kind: 'answered', status, text: '' };
}

// Few small calls of a verification, which bounds them itself.
function anyBudget(): ReadBudget {
  return {
    take: () => true,
    addBytes: () => undefined,
    bytesLeft: MOST_OF_A_REPLY,
    allowDeepScan: () => undefined,
    cost: () => ({ calls: 0, logCalls: 0, bytes: 0 }),
  };
}
