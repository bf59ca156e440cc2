import type { Clock, ClusterEvidence, CollectOptions, PodTarget, ReadContext } from '../../app/ports.ts';
import type { KubeHttp } from '../http.ts';

export async function collectEvidence(
  _deps: { readonly http: KubeHttp; readonly clock: Clock },
  _read: { readonly target: PodTarget; readonly context: ReadContext; readonly options: CollectOptions },
): Promise<ClusterEvidence> {
  throw new Error('not yet');
}
