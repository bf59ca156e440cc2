import { OwnerObject, type OwnerReference } from '../../model/kubernetes.ts';
import { strip } from '../api/objects.ts';
import { requestFor } from '../api/resource.ts';
import type { Reads } from './reads.ts';
import { type Authors, readAuthors } from './rollout-author.ts';

/** The chain from the pod's controller up to the top owner. What may not be read stands in it by its reference alone. */
export type Owners = {
  readonly objects: readonly OwnerObject[];
  /** By uid. */
  readonly authors: ReadonlyMap<string, Authors>;
  /** `Deployment/vllm-server`; undefined for a pod without an owner, or where not even the first could be read. */
  readonly top: string | undefined;
  readonly after: number;
};

const MAX_HOPS = 8;

/** Walks up the controlling owners, at most eight; one call each. A pod may own as well. The first call may be prepaid. */
export async function walkOwners(
  reads: Reads,
  pod: { readonly namespace: string; readonly owners: readonly OwnerReference[] | undefined },
  { after, prepaid }: { after: number; prepaid: boolean },
): Promise<Owners> {
  const objects: OwnerObject[] = [];
  const authors = new Map<string, Authors>();
  let chain = after;
  let reached = 0;
  let next = controllerOf(pod.owners);
  while (next !== undefined && objects.length < MAX_HOPS) {
    const { apiVersion = '', kind = '', name = '', uid } = next;
    const asked = requestFor('get', { apiVersion, resource: pluralOf(kind), namespace: pod.namespace, name });
    const paid = prepaid && objects.length === 0;
    const read = await reads.json(`${kind}/${name}`, { ...asked, prepaid: paid }, chain);
    chain = read.after;
    const object = OwnerObject.parse(
      read.kind === 'ok' ? { apiVersion, kind, ...strip(read.body) } : { apiVersion, kind, metadata: { name, uid } },
    );
    objects.push(object);
    if (read.kind === 'ok') {
      reached += 1;
      authors.set(object.metadata?.uid ?? '', readAuthors(read.body));
    }
    next = read.kind === 'ok' ? controllerOf(object.metadata?.ownerReferences) : undefined;
  }
  return { objects, authors, top: topOf(objects, reached), after: chain };
}

// A ReplicaSet that could not be read hides its Deployment, which the labels of the pod tell as well.
function topOf(objects: readonly OwnerObject[], reached: number): string | undefined {
  const last = objects.at(-1);
  return last === undefined || reached === 0 ? undefined : `${last.kind}/${last.metadata?.name}`;
}

/** The controlling owner that can be walked to: a node owns the pods that its kubelet reads from files, and leads nowhere. */
export function controllerOf(owners: readonly OwnerReference[] | undefined): OwnerReference | undefined {
  const owner = owners?.find(({ controller }) => controller);
  const whole = owner?.apiVersion !== undefined && owner.kind !== undefined && owner.name !== undefined;
  return whole && owner.kind !== 'Node' ? owner : undefined;
}

// As the API makes plurals of kinds unless a definition says otherwise.
function pluralOf(kind: string): string {
  const word = kind.toLowerCase();
  if (/(s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}
