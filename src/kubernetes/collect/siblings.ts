import { type OwnerObject, type Pod, Pod as PodSchema } from '../../model/kubernetes.ts';
import { isCut, isObject, itemsOf } from '../api/objects.ts';
import { requestFor } from '../api/resource.ts';
import { selectorText } from '../api/selector.ts';
import type { Reads } from './reads.ts';

const LIMIT = 50;
const GROUP = 'leaderworkerset.sigs.k8s.io/name';

/** How the pods of the workload are told: by the group's label, else by the selector of the highest owner that has one. */
export function workloadSelector(pod: Pod, owners: readonly OwnerObject[]): string | undefined {
  const group = pod.metadata?.labels?.[GROUP];
  if (group !== undefined) return `${GROUP}=${group}`;
  return owners
    .toReversed()
    .map(({ spec }) => selectorText(isObject(spec) ? spec.selector : undefined))
    .find((text) => text !== undefined);
}

/** siblings.json: the pods of the workload with their states, fifty at most, and which died first. Undefined where they could not be read. */
export async function readSiblings(
  reads: Reads,
  { namespace, selector }: { namespace: string; selector: string },
  after: number,
): Promise<string | undefined> {
  const query = { labelSelector: selector, limit: LIMIT };
  const request = { ...requestFor('list', { resource: 'pods', namespace }), query };
  const read = await reads.json('siblings.json', request, after);
  if (read.kind === 'none') return undefined;
  if (isCut(read.body)) {
    reads.note({ item: 'siblings.json', reason: 'budget', detail: `only ${LIMIT} pods of the workload were read` });
  }
  const items = itemsOf(read.body).map(trim);
  return JSON.stringify({ firstDeath: firstDeath(items), items });
}

function trim(item: unknown): unknown {
  const { metadata, spec, status } = PodSchema.parse(isObject(item) ? item : {});
  const { name, uid, creationTimestamp, deletionTimestamp, labels, ownerReferences } = metadata ?? {};
  const { phase, reason, message, conditions, containerStatuses, initContainerStatuses } = status ?? {};
  return {
    metadata: { name, uid, creationTimestamp, deletionTimestamp, labels, ownerReferences },
    spec: { nodeName: spec?.nodeName },
    status: { phase, reason, message, conditions, containerStatuses, initContainerStatuses },
  };
}

// In a group that is bound together the others die of the first one's death.
function firstDeath(pods: readonly unknown[]): { pod: string; container: string; finishedAt: string } | null {
  const deaths = pods.flatMap((item) => {
    const { metadata, status } = PodSchema.parse(item);
    return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].flatMap(
      ({ name = '', state, lastState }) => {
        const ended = state?.terminated ?? lastState?.terminated;
        if (ended?.finishedAt === undefined || ended.reason === 'Completed') return [];
        return [{ pod: metadata?.name ?? '', container: name, finishedAt: ended.finishedAt }];
      },
    );
  });
  return deaths.toSorted((a, b) => Date.parse(a.finishedAt) - Date.parse(b.finishedAt))[0] ?? null;
}
