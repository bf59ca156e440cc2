import type { EngineCall, EngineCaller, EngineReply } from '../app/acting-ports.ts';
import type { ReadBudget } from '../app/ports.ts';
import type { KubeFailure } from './failure.ts';
import type { KubeHttp } from './http.ts';

const MAX_BYTES = 64 * 1024;
// What the API server itself answers where it does not reach the pod.
const NOT_REACHED = new Set([502, 503, 504]);

/** Asks engines through the pod proxy of the API server. Needs `get` and `create` on `pods/proxy`. A key of the engine can not be sent this way. */
export function createProxyCaller(http: KubeHttp): EngineCaller {
  return {
    async call(call, { signal, agent }) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(call.timeoutMs)]);
      const { namespace, pod, port, path, body } = call;
      const place = `${encodeURIComponent(namespace)}/pods/${encodeURIComponent(`${pod.name}:${port}`)}`;
      const verb = body === null ? 'get' : 'create';
      const answer = await http.getText(
        {
          path: `/api/v1/namespaces/${place}/proxy${path}`,
          rule: { verb, group: '', resource: 'pods/proxy', namespace },
          maxBytes: MAX_BYTES,
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
  { status, detail }: KubeFailure,
  { port, pod }: EngineCall,
  { isOver, isStopped }: Ended,
): EngineReply {
  const who = `port ${port} of ${pod.name}`;
  if (isStopped) return { kind: 'no-way', why: 'there was no time left to ask it' };
  if (isOver) return { kind: 'silent', why: `${who} did not answer in time` };
  if (status === undefined || status === 401 || status === 403) return { kind: 'no-way', why: detail };
  if (NOT_REACHED.has(status)) return { kind: 'silent', why: `${who} answered ${status} through the API server` };
  return { kind: 'answered', status, text: '' };
}

// Few small calls of a verification, which bounds them itself.
function anyBudget(): ReadBudget {
  return {
    take: () => true,
    addBytes: () => undefined,
    bytesLeft: MAX_BYTES,
    allowDeepScan: () => undefined,
    cost: () => ({ calls: 0, logCalls: 0, bytes: 0 }),
  };
}
