import { z } from 'zod';
import { valueAt } from '../../model/json-patch.ts';
import { count, lenient } from '../../model/lenient.ts';
import type { Owner } from './owner.ts';

/** Replicas that serve, of all that are wanted. `isKnown`: what is not known is taken as if all of them served. */
export type Serving = { readonly ready: number; readonly total: number; readonly isKnown: boolean };

type PodCount = { readonly ready: number; readonly total: number };

const Status = z.looseObject({ status: lenient(z.looseObject({ readyReplicas: count })) });

/** How many replicas serve: by the pods that were seen, of a group by its status, for a group is ready only as a whole. */
export function countServing({ scale, object, podsPerReplica }: Owner, pods: PodCount | undefined): Serving {
  const wanted = scale.kind === 'none' ? undefined : scale.kind === 'stop' && scale.isStopped ? 0 : scale.now;
  const byStatus = readyByStatus(scale.kind === 'count' ? scale.object : object);
  const byPods = pods === undefined ? undefined : Math.floor(pods.ready / podsPerReplica);
  const ready = podsPerReplica > 1 ? (byStatus ?? byPods) : (byPods ?? byStatus);
  const seen = pods === undefined ? 0 : Math.ceil(pods.total / podsPerReplica);
  const total = Math.max(wanted ?? seen, ready ?? 0);
  return { ready: ready ?? total, total, isKnown: ready !== undefined };
}

// A status without the field has none ready: the API leaves zeros out. No status at all tells nothing.
function readyByStatus(object: unknown): number | undefined {
  if (valueAt(object, '/status') === undefined) return undefined;
  const status = Status.safeParse(object).data?.status;
  return status === undefined ? undefined : (status.readyReplicas ?? (knowsReplicas(status) ? 0 : undefined));
}

function knowsReplicas(status: object): boolean {
  return 'replicas' in status || 'observedGeneration' in status;
}
