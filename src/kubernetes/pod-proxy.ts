import type { MetricsTarget, ReadContext } from '../app/ports.ts';
import type { NotRead } from '../model/snapshot.ts';
import type { KubeHttp } from './http.ts';

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

const MAX_BYTES = 4 * 1024 * 1024;

/** The pod proxy of the API server; one call of the budget, never throws. */
export function createPodProxy(http: KubeHttp): PodProxy {
  return async ({ namespace, pod }, port, path, context) => {
    const answer = await http.getText(
      {
        path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(`${pod}:${port}`)}/proxy${path}`,
        rule: { verb: 'get', group: '', resource: 'pods/proxy', namespace },
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
