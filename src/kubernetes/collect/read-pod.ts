import type { PodTarget } from '../../app/ports.ts';
import { Pod } from '../../model/kubernetes.ts';
import { toError } from '../failure.ts';
import type { KubeRequest } from '../http.ts';
import type { Read, Reads } from './reads.ts';
import { strip } from './strip.ts';

/** The pod as text of pod.json and as a value. */
export type PodRead = { readonly json: string; readonly pod: Pod; readonly after: number };

/** The pod; undefined where it is gone. Throws OomError where the cluster does not give it for another reason. */
export async function readPod(reads: Reads, target: PodTarget): Promise<PodRead | undefined> {
  const read = await reads.json('pod.json', podRequest(target, false), 0);
  if (read.kind === 'none' && read.failure.reason === 'gone') return undefined;
  if (read.kind === 'none') throw toError(read.failure);
  return toPodRead(read);
}

/** The pod once more, after its logs were read; undefined where it can not be had. */
export async function readPodAgain(reads: Reads, target: PodTarget, after: number): Promise<PodRead | undefined> {
  const read = await reads.json('second look at the pod', podRequest(target, true), after);
  return read.kind === 'ok' ? toPodRead(read) : undefined;
}

function toPodRead(read: Extract<Read, { kind: 'ok' }>): PodRead {
  const object = { apiVersion: 'v1', kind: 'Pod', ...strip(read.body) };
  return { json: JSON.stringify(object), pod: Pod.parse(object), after: read.after };
}

function podRequest({ namespace, pod }: PodTarget, prepaid: boolean): KubeRequest {
  return {
    path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}`,
    rule: { verb: 'get', group: '', resource: 'pods', namespace },
    prepaid,
  };
}
