import type { SnapshotSource } from '../app/ports.ts';
import { logFileName, snapshotNameOf } from '../model/snapshot.ts';
import { baseName, type EvidenceFile, folderOf } from './evidence-file.ts';
import type { KubernetesObject } from './kubernetes-objects.ts';
import { containersOf, filesAround, needsLook } from './pod-in-cluster.ts';
import { snapshotsOf, snapshotsOfList } from './pods-of-events.ts';
import { type Recognized, recognizeFile } from './recognize-file.ts';

/** What a tree of files holds: a snapshot for each folder or pod with evidence, and how many healthy pods without a GPU were left out. */
export type PodsOfTree = { readonly sources: readonly SnapshotSource[]; readonly leftOut: number };

type Part = { readonly id: string; readonly pod: KubernetesObject | undefined; readonly files: readonly Recognized[] };

/** Files of any names and depth, put together by pod: `oom collect`, a support bundle, `kubectl cluster-info dump`, a folder made by hand. */
export async function podsOfTree(name: string, files: readonly EvidenceFile[]): Promise<PodsOfTree> {
  const recognized: Recognized[] = [];
  for (const file of files) {
    const found = await recognizeFile(file);
    if (found !== undefined) recognized.push(found);
  }
  const objects = recognized.flatMap((one) => (one.kind === 'log' ? [] : (one.objects ?? [])));
  const pods = objects.filter(({ kind }) => kind === 'Pod');
  const parts = partsOf(name, recognized, pods);
  const placed = new Set(parts.map(({ pod }) => pod));
  const others = pods.filter((pod) => !placed.has(pod)).map((pod) => ({ id: pod.name, pod, files: [] }));
  const all = [...parts, ...others];
  const kept = pods.length < 2 ? all : all.filter(({ pod }) => pod === undefined || needsLook(pod));
  const sources: SnapshotSource[] = [];
  for (const part of kept)
    sources.push(...(await snapshotsOf(part.id, new Map([...filesAround(part.pod, objects), ...filesOf(part)]))));
  return {
    sources: all.length === 0 ? snapshotsOfList(name, objects) : sources,
    leftOut: all.length - kept.length,
  };
}

// Folders with evidence of a pod, and the pod that each is about.
function partsOf(name: string, recognized: readonly Recognized[], pods: readonly KubernetesObject[]): Part[] {
  const folders = Map.groupBy(
    recognized.filter((one) => one.kind !== 'objects' || one.objects.length === 1),
    ({ file }) => folderOf(file.path),
  );
  return [...folders]
    .filter(([, files]) => files.some(isOfPod) && (folders.size === 1 || !files.every(isSeries)))
    .toSorted(([a], [b]) => a.localeCompare(b, 'en'))
    .map(([folder, files]) => ({
      id: folder === '' ? name : baseName(folder),
      pod: podOf(folder, files, pods),
      files,
    }));
}

// A node or the events of a namespace report no pod by themselves.
const OF_CLUSTER: ReadonlySet<string> = new Set(['node.json', 'events.json', 'revisions.json', 'autoscalers.json']);

function isOfPod(one: Recognized): boolean {
  return one.kind === 'log' || (one.kind === 'named' && !OF_CLUSTER.has(one.name));
}

// Metrics next to folders of incidents belong to none of them.
function isSeries(one: Recognized): boolean {
  return one.kind === 'named' && one.name === 'series.json';
}

function podOf(
  folder: string,
  ofFolder: readonly Recognized[],
  pods: readonly KubernetesObject[],
): KubernetesObject | undefined {
  const own = ofFolder.flatMap((one) => (one.kind === 'objects' ? one.objects : [])).find(({ kind }) => kind === 'Pod');
  if (own !== undefined) return own;
  const parts = folder.split('/');
  const named = pods.filter(({ name }) => name === parts.at(-1));
  return named.find(({ namespace }) => namespace === parts.at(-2)) ?? named[0];
}

/** Files of one folder under the names of a snapshot. One log needs no name of a container; several get that of their files. */
function filesOf({ files, pod }: Part): Map<string, EvidenceFile> {
  const named = new Map<string, EvidenceFile>();
  for (const one of files) {
    if (one.kind === 'named' && (one.name === baseName(one.file.path) || !named.has(one.name)))
      named.set(one.name, one.file);
    if (one.kind === 'objects' && one.objects[0]?.kind === 'Node') named.set('node.json', one.file);
  }
  nameLogs(
    files.filter((one) => one.kind === 'log'),
    pod,
    named,
  );
  return named;
}

type Log = Extract<Recognized, { kind: 'log' }>;

// A name of a snapshot is kept. Those that say which instance they are of come first. Of two that do not say, the first is taken for the previous one.
function nameLogs(logs: readonly Log[], pod: KubernetesObject | undefined, named: Map<string, EvidenceFile>): void {
  const isOfSeveral = new Set(logs.map(({ stem }) => stem)).size > 1 || (pod !== undefined && containersOf(pod) > 1);
  for (const { stem, instance, file } of logs.toSorted((a, b) => Number(!a.instance) - Number(!b.instance))) {
    const container = isOfSeveral ? containerName(stem) : undefined;
    const other = named.has(logFileName(container, 'previous')) ? 'current' : 'previous';
    const name = snapshotNameOf(baseName(file.path)) ?? logFileName(container, instance ?? other);
    if (!named.has(name)) named.set(name, file);
  }
}

const LONGEST = 63;

function containerName(stem: string): string | undefined {
  const name = stem
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replace(/^-+|-+$/g, '');
  return name === '' ? undefined : name;
}
