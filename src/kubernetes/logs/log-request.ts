import type { KubeRequest } from '../http.ts';

export type LogPlace = {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly previous: boolean;
};
export type LogWindow = { readonly limitBytes?: number; readonly tailLines?: number; readonly sinceTime?: string };

/** A request for a part of a log, with the kubelet's times before the lines. */
export function logRequest(place: LogPlace, window: LogWindow, prepaid: boolean): KubeRequest {
  const { namespace, pod, container, previous } = place;
  return {
    path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log`,
    query: { container, ...(previous && { previous }), timestamps: true, ...window },
    rule: { verb: 'get', group: '', resource: 'pods/log', namespace },
    accept: '*/*',
    // Of six calls for logs; a node out of reach fails again in the same way.
    tries: 2,
    prepaid,
  };
}
