import type { PodQuery, PodResolution, ReadContext } from '../../app/ports.ts';
import type { KubeHttp } from '../http.ts';

export async function resolvePod(
  _deps: { readonly cluster: string; readonly namespaces: readonly string[]; readonly http: KubeHttp },
  _query: PodQuery,
  _context: ReadContext,
): Promise<PodResolution> {
  throw new Error('not yet');
}
