import type { PodTarget } from '../../app/ports.ts';
import { type Pod, PodMetrics } from '../../model/kubernetes.ts';
import { parseQuantity } from '../../model/quantity.ts';
import type { NotRead } from '../../model/snapshot.ts';
import { strip } from '../api/objects.ts';
import { requestFor } from '../api/resource.ts';
import { readHpas, readPdbs } from './autoscalers.ts';
import { eventsOfNode, eventsOfPod, readEvents } from './events.ts';
import { type Owners, walkOwners } from './owners.ts';
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

const NO_CALLS: Omit<NotRead, 'item'> = { reason: 'budget', detail: 'no calls were left for it' };

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
  const owners = await ownersOf(input);
  const { objects, after } = owners;
  const selector = workloadSelector(pod, objects);
  const source = revisionSource(objects, selector);
  const node = pod.spec?.nodeName;
  const [siblings, revisions, hpas, nodeEvents, pdbs, metrics] = await Promise.all([
    selector === undefined ? undefined : readSiblings(reads, { namespace, selector }, after),
    source === undefined ? undefined : readRevisions(reads, { namespace, source }, after),
    objects.length === 0 ? undefined : readHpas(reads, { namespace, owners: objects }, after),
    node === undefined ? undefined : readEvents(reads, eventsOfNode(node), { after, prepaid: false }),
    readPdbs(reads, { namespace, labels: pod.metadata?.labels ?? {} }, after),
    input.runs ? readPodMetrics(reads, { namespace, pod: target.pod }, after) : undefined,
  ]);
  const files = {
    ...(objects.length > 0 && { 'owners.json': JSON.stringify(objects) }),
    ...(siblings !== undefined && { 'siblings.json': siblings }),
    ...(revisions !== undefined && { 'revisions.json': revisions }),
    ...((hpas !== undefined || pdbs !== undefined) && { 'autoscalers.json': JSON.stringify({ hpas, pdbs }) }),
    ...(metrics !== undefined && { 'metrics.txt': metrics }),
  };
  return { files, top: owners.top, nodeEvents };
}

function ownersOf({ reads, target, pod, reserved, after }: Input): Promise<Owners> {
  const from = { namespace: target.namespace, owners: pod.metadata?.ownerReferences };
  return walkOwners(reads, from, { after, prepaid: reserved.owner });
}

/** What metrics.k8s.io tells of the containers that run now, as lines of Prometheus text; undefined where it tells nothing. */
export async function readPodMetrics(
  reads: Reads,
  { namespace, pod }: { namespace: string; pod: string },
  after: number,
): Promise<string | undefined> {
  const asked = requestFor('get', { apiVersion: 'metrics.k8s.io/v1beta1', resource: 'pods', namespace, name: pod });
  const read = await reads.json('metrics.k8s.io', { ...asked, tries: 1 }, after);
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
