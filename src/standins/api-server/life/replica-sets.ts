import { createHash } from 'node:crypto';
import { isSameJson, valueAt } from '../../../model/json-patch.ts';
import type { KubeObject } from '../objects/world.ts';
import type { Storage } from '../write/storage.ts';
import type { Shape } from './workload-shape.ts';

const HASH_LABEL = 'pod-template-hash';
const REVISION = 'deployment.kubernetes.io/revision';
const FORMER = 'deployment.kubernetes.io/revision-history';
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** Letters as in the names that Kubernetes makes, always the same for the same text. */
export function letters(text: string, count: number): string {
  return [...createHash('sha256').update(text).digest().subarray(0, count)]
    .map((byte) => LETTERS[byte % LETTERS.length])
    .join('');
}

export function replicaSetsOf({ world }: Storage, owner: KubeObject): KubeObject[] {
  return world.objects.filter((one) => one.kind === 'ReplicaSet' && isOwnedBy(one, owner.metadata.uid));
}

export function isOwnedBy(object: KubeObject, uid: string): boolean {
  const owners = object.metadata.ownerReferences;
  return Array.isArray(owners) && owners.some((one) => one.uid === uid);
}

/** The ReplicaSet of the present template, made where there is none yet; each has the count of its pods. */
export function keepReplicaSet(
  storage: Storage,
  owner: KubeObject,
  { shape, countOf }: { readonly shape: Shape; readonly countOf: (set: KubeObject) => number },
): KubeObject {
  const sets = replicaSetsOf(storage, owner);
  const own = sets.find((one) => isSameJson(bare(valueAt(one, '/spec/template')), bare(shape.template)));
  const current = own ?? storage.save(undefined, newSet(owner, shape, sets), { manager: 'kube-controller-manager' });
  for (const set of new Set([...sets, current])) {
    const fresh = set === current && own !== undefined ? withRevision(set, sets) : set;
    storage.settle(set, { ...fresh, spec: { ...(set.spec as object), replicas: countOf(set) } });
  }
  return current;
}

function bare(template: unknown): unknown {
  const labels = Object.entries((valueAt(template, '/metadata/labels') ?? {}) as object);
  return {
    labels: Object.fromEntries(labels.filter(([key]) => key !== HASH_LABEL)),
    annotations: valueAt(template, '/metadata/annotations') ?? {},
    spec: valueAt(template, '/spec'),
  };
}

function revisionOf(set: KubeObject): number {
  return Number(valueAt(set, `/metadata/annotations/${REVISION.replace('/', '~1')}`) ?? 0);
}

// A template that comes back is the newest revision again.
function withRevision(set: KubeObject, sets: readonly KubeObject[]): KubeObject {
  const newest = Math.max(...sets.map(revisionOf));
  if (revisionOf(set) === newest) return set;
  const old = set.metadata.annotations as Readonly<Record<string, string>>;
  const former = [old[FORMER], old[REVISION]].filter(Boolean).join(',');
  const annotations = { ...old, [REVISION]: String(newest + 1), [FORMER]: former };
  return { ...set, metadata: { ...set.metadata, annotations } };
}

function newSet(owner: KubeObject, { labels, template }: Shape, sets: readonly KubeObject[]): KubeObject {
  const { name, namespace, uid } = owner.metadata;
  const hash = letters(JSON.stringify(template), 10);
  const all = { ...labels, [HASH_LABEL]: hash };
  const { metadata, ...rest } = template as { metadata?: object };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      uid: '',
      labels: all,
      annotations: { [REVISION]: String(Math.max(0, ...sets.map(revisionOf)) + 1) },
      ownerReferences: [{ apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true }],
    },
    spec: {
      replicas: 0,
      selector: { matchLabels: all },
      template: { ...rest, metadata: { ...metadata, labels: all } },
    },
  };
}
