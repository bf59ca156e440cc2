import type { PodTarget } from '../../app/ports.ts';
import { valueAt } from '../../model/json-patch.ts';
import { type OwnerObject, type Pod, PodMetrics } from '../../model/kubernetes.ts';
import { parseQuantity } from '../../model/quantity.ts';
import type { NotRead } from '../../model/snapshot.ts';
import { strip } from '../api/objects.ts';
import { requestFor } from '../api/resource.ts';
import { selects } from '../api/selector.ts';
import { eventsOfNode, eventsOfPod, readEvents } from './events.ts';
import { walkOwners } from './owners.ts';
import type { Reads } from './reads.ts';
import type { Reserved } from './reserve.ts';
import { readRevisions, revisionSource } from './revisions.ts';
import { readSiblings, workloadSelector } from './siblings.ts';

export type Around = { readonly files: Readonly<Record<string, string>>; readonly top: string | undefined };

type Input = {
  readonly reads: Reads;
  readonly target: PodTarget;
  readonly pod: Pod;
  readonly reserved: Reserved;
  /** The container looked at runs and has not died: what is measured now is about it. */
  readonly runs: boolean;
  readonly after: number;
};

/** Events, owners, node, and then what hangs on the owners; each part in parallel as far as none waits for another. */
export async function readAround(input: Input): Promise<Around> {
  const { reads, target, pod, reserved, after } = input;
  const { namespace } = target;
  const uid = pod.metadata?.uid ?? target.uid;
  const [events, node, owned] = await Promise.all([
    reserved.events
      ? readEvents(reads, eventsOfPod(namespace, uid), { after, prepaid: true })
      : skipped(reads, 'events.json'),
    readNode(input),
    readOwned(input),
  ]);
  const all =
    events === undefined && owned.nodeEvents === undefined
      ? undefined
      : [...(events ?? []), ...(owned.nodeEvents ?? [])];
  return {
    top: owned.top,
    files: {
      ...(all !== undefined && { 'events.json': JSON.stringify(all) }),
      ...(node !== undefined && { 'node.json': node }),
      ...owned.files,
    },
  };
}

/** What the containers of the pod use now, and nothing else. */
export async function readUsage({ reads, target, runs, after }: Input): Promise<Around> {
  const { namespace, pod } = target;
  const metrics = runs ? await readPodMetrics(reads, { namespace, pod }, after) : undefined;
  return { top: undefined, files: metrics === undefined ? {} : { 'metrics.txt': metrics } };
}

const NO_CALLS: Omit<NotRead, 'item'> = { reason: 'budget', detail: 'API call limit' };

async function skipped(reads: Reads, item: string): Promise<undefined> {
  reads.note({ item, ...NO_CALLS });
  return undefined;
}

async function readNode({ reads, pod, reserved, after }: Input): Promise<string | undefined> {
  const name = pod.spec?.nodeName;
  if (name === undefined) return undefined;
  if (!reserved.node) return skipped(reads, 'node.json');
  const asked = requestFor('get', { resource: 'nodes', namespace: undefined, name });
  const read = await reads.json('node.json', { ...asked, prepaid: true }, after);
  return read.kind === 'ok' ? JSON.stringify(strip(read.body)) : undefined;
}

type Owned = {
  readonly files: Readonly<Record<string, string>>;
  readonly top: string | undefined;
  readonly nodeEvents: readonly unknown[] | undefined;
};

// What comes first takes its call first: this order is that of reserve().
async function readOwned(input: Input): Promise<Owned> {
  const { reads, target, pod } = input;
  const { namespace } = target;
  const from = { namespace, owners: pod.metadata?.ownerReferences };
  const { objects, authors, top, after } = await walkOwners(reads, from, {
    after: input.after,
    prepaid: input.reserved.owner,
  });
  const selector = workloadSelector(pod, objects);
  const source = revisionSource(objects, selector);
  const node = pod.spec?.nodeName;
  const [siblings, revisions, hpas, nodeEvents, pdbs, metrics] = await Promise.all([
    selector === undefined ? undefined : readSiblings(reads, { namespace, selector }, after),
    source === undefined
      ? undefined
      : readRevisions(reads, { namespace, source, authors: authors.get(source.uid) }, after),
    objects.length === 0 ? undefined : readCovering(reads, HPAS, { namespace, covers: isAimedAt(objects) }, after),
    node === undefined ? undefined : readEvents(reads, eventsOfNode(node), { after, prepaid: false }),
    readCovering(reads, PDBS, { namespace, covers: isBudgetOf(pod) }, after),
    input.runs ? readPodMetrics(reads, { namespace, pod: target.pod }, after) : undefined,
  ]);
  const files = {
    ...(objects.length > 0 && { 'owners.json': JSON.stringify(objects) }),
    ...(siblings !== undefined && { 'siblings.json': siblings }),
    ...(revisions !== undefined && { 'revisions.json': revisions }),
    ...((hpas !== undefined || pdbs !== undefined) && { 'autoscalers.json': JSON.stringify({ hpas, pdbs }) }),
    ...(metrics !== undefined && { 'metrics.txt': metrics }),
  };
  return { files, top, nodeEvents };
}

const HPAS = {
  item: 'horizontal pod autoscalers',
  asked: { apiVersion: 'autoscaling/v2', resource: 'horizontalpodautoscalers' },
};
const PDBS = { item: 'pod disruption budgets', asked: { apiVersion: 'policy/v1', resource: 'poddisruptionbudgets' } };
const MOST_BESIDE = 250;

type Covers = (item: unknown) => boolean;

// The objects of a kind in the namespace that are about the pod, one call; undefined where they could not be read.
async function readCovering(
  reads: Reads,
  { item, asked }: typeof HPAS,
  { namespace, covers }: { readonly namespace: string; readonly covers: Covers },
  after: number,
): Promise<readonly unknown[] | undefined> {
  const request = { ...requestFor('list', { ...asked, namespace }), query: { limit: MOST_BESIDE } };
  return (await reads.items(item, request, after))?.filter(covers).map(strip);
}

function isAimedAt(owners: readonly OwnerObject[]): Covers {
  const targets = new Set(owners.map(({ kind, metadata }) => `${kind}/${metadata?.name}`));
  const at = (item: unknown, key: string) => valueAt(item, `/spec/scaleTargetRef/${key}`);
  return (item) => targets.has(`${at(item, 'kind')}/${at(item, 'name')}`);
}

function isBudgetOf({ metadata }: Pod): Covers {
  return (item) => selects(valueAt(item, '/spec/selector'), metadata?.labels ?? {});
}

/** What metrics.k8s.io says about the containers that run now, as lines of Prometheus text; undefined where it tells nothing. */
async function readPodMetrics(
  reads: Reads,
  { namespace, pod }: { namespace: string; pod: string },
  after: number,
): Promise<string | undefined> {
  const asked = requestFor('get', { apiVersion: 'metrics.k8s.io/v1beta1', resource: 'pods', namespace, name: pod });
  const read = await reads.json('metrics.k8s.io', { ...asked, tries: 1, behind: 'metrics.k8s.io' }, after);
  if (read.kind === 'none') return undefined;
  const { containers = [], timestamp } = PodMetrics.parse(read.body ?? {});
  const at = Date.parse(timestamp ?? '');
  const lines = containers.flatMap(({ name, usage }) => {
    const bytes = parseQuantity(usage?.memory);
    if (name === undefined || bytes === undefined) return [];
    const labels = `namespace=${JSON.stringify(namespace)},pod=${JSON.stringify(pod)},container=${JSON.stringify(name)}`;
    return [`container_memory_working_set_bytes{${labels}} ${bytes}${Number.isNaN(at) ? '' : ` ${at}`}`];
  });
  return lines.length === 0 ? undefined : `# metrics.k8s.io: the containers that run now\n${lines.join('\n')}\n`;
}
