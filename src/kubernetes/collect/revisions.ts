import type { OwnerObject } from '../../model/kubernetes.ts';
import { revisionOf } from '../../read/cluster/revision-object.ts';
import { isObject } from '../api/objects.ts';
import { requestFor } from '../api/resource.ts';
import { selectorText } from '../api/selector.ts';
import type { Reads } from './reads.ts';
import { type Authors, authorOf, lastWriteAfter } from './rollout-author.ts';

const LIMIT = 25;
const KEPT = 2;

type Source = {
  readonly resource: 'replicasets' | 'controllerrevisions';
  readonly uid: string;
  readonly selector: string;
};

// Which owner keeps its revisions, and in what.
const SOURCES: Readonly<Record<string, Source['resource']>> = {
  Deployment: 'replicasets',
  Rollout: 'replicasets',
  StatefulSet: 'controllerrevisions',
  DaemonSet: 'controllerrevisions',
  LeaderWorkerSet: 'controllerrevisions',
};

/** Where the revisions of the workload are; undefined where none of its owners keeps any. */
export function revisionSource(owners: readonly OwnerObject[], selector: string | undefined): Source | undefined {
  for (const { kind = '', metadata, spec } of owners.toReversed()) {
    const resource = SOURCES[kind];
    const own = selectorText(isObject(spec) ? spec.selector : undefined) ?? selector;
    if (resource !== undefined && metadata?.uid !== undefined && own !== undefined) {
      return { resource, uid: metadata.uid, selector: own };
    }
  }
  return undefined;
}

/** revisions.json: the last two revisions, newest first, reduced to what can differ. Undefined where they could not be read. */
export async function readRevisions(
  reads: Reads,
  { namespace, source, authors }: { namespace: string; source: Source; authors: Authors | undefined },
  after: number,
): Promise<string | undefined> {
  const { resource, selector, uid } = source;
  const query = { labelSelector: selector, limit: LIMIT };
  const request = { ...requestFor('list', { apiVersion: 'apps/v1', resource, namespace }), query };
  const items = await reads.items('revisions.json', request, after);
  if (items === undefined) return undefined;
  const kind = resource === 'replicasets' ? 'ReplicaSet' : 'ControllerRevision';
  const own = items.filter((item) => ownedBy(item, uid));
  const revisions = own.map((item) => revisionOf(kind, item)).toSorted((a, b) => b.revision - a.revision);
  const [newest, ...older] = revisions.slice(0, KEPT);
  if (newest === undefined) return '[]';
  // One that was rolled back to is newer than all that were made before.
  const createdAt = newest.createdAt ?? (authors && lastWriteAfter(authors, own.map(creationOf).toSorted().at(-1)));
  const by = authors && createdAt && authorOf(authors, createdAt);
  return JSON.stringify([{ ...newest, createdAt, by }, ...older]);
}

function creationOf(item: unknown): string {
  const metadata = isObject(item) && isObject(item.metadata) ? item.metadata : {};
  return String(metadata.creationTimestamp ?? '');
}

function ownedBy(item: unknown, uid: string): boolean {
  const owners = isObject(item) && isObject(item.metadata) ? item.metadata.ownerReferences : undefined;
  return Array.isArray(owners) && owners.some((owner: unknown) => isObject(owner) && owner.uid === uid);
}
