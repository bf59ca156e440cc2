import { z } from 'zod';
import { parseJson } from '../model/json-file.ts';
import { revisionOf } from '../read/cluster/revision-object.ts';
import { type KubectlItem, kubectlItems } from './kubernetes-objects.ts';

const Owned = z.looseObject({
  metadata: z.looseObject({ ownerReferences: z.array(z.looseObject({ name: z.string() })).optional() }),
});

const OF_KIND: Readonly<Record<string, string>> = {
  HorizontalPodAutoscaler: 'hpas',
  PodDisruptionBudget: 'pdbs',
  ScaledObject: 'scaledObjects',
};
const REVISIONS = ['ReplicaSet', 'ControllerRevision'];

/**
 * What `kubectl get hpa,pdb` prints, as `-o json` or as a table, in the form of autoscalers.json; what `kubectl get rs -o json`
 * prints in that of revisions.json. Every other text as it is.
 */
export function asSnapshotForm(file: string, text: string): string {
  if (file !== 'autoscalers.json' && file !== 'revisions.json') return text;
  const objects: readonly KubectlItem[] =
    kubectlItems(parseJson(text)) ?? (file === 'autoscalers.json' ? itemsOfTables(text) : []);
  const items = objects.filter(file === 'revisions.json' ? isRevision : isScaler);
  if (items.length === 0) return text;
  return JSON.stringify(file === 'revisions.json' ? revisionsOf(items) : scalersOf(items), null, 2);
}

function isScaler({ kind }: KubectlItem): boolean {
  return Object.hasOwn(OF_KIND, kind);
}

// The entries of a snapshot's own revisions.json have a kind too, but no metadata.
function isRevision({ kind, value }: KubectlItem): boolean {
  return REVISIONS.includes(kind) && 'metadata' in value;
}

function scalersOf(items: readonly KubectlItem[]) {
  const byKind = Map.groupBy(items, ({ kind }) => OF_KIND[kind] ?? '');
  return Object.fromEntries([...byKind].map(([name, of]) => [name, of.map(({ value }) => value)]));
}

// The newest first.
function revisionsOf(items: readonly KubectlItem[]) {
  return items
    .map(({ kind, value }) => {
      const owner = Owned.safeParse(value).data?.metadata.ownerReferences?.[0]?.name;
      return { ...revisionOf(kind, value), owner };
    })
    .toSorted((a, b) => b.revision - a.revision);
}

// Columns stand two blanks apart or more; one blank belongs to a cell.
const BETWEEN = /\s{2,}/;

function itemsOfTables(text: string): KubectlItem[] {
  const items: KubectlItem[] = [];
  let columns: readonly string[] = [];
  for (const line of text.split('\n')) {
    const cells = line.trim().split(BETWEEN);
    if (/^(?:NAMESPACE\s+)?NAME\s/.test(line)) columns = cells;
    else items.push(...itemIn(new Map(columns.map((column, i) => [column, cells[i] ?? '']))));
  }
  return items;
}

function itemIn(row: ReadonlyMap<string, string>): KubectlItem[] {
  const name = (row.get('NAME') ?? '').replace(/^.*\//, '');
  const [targets, reference = '', allowed] = ['TARGETS', 'REFERENCE', 'ALLOWED DISRUPTIONS'].map((key) => row.get(key));
  if (name === '') return [];
  if (targets !== undefined) {
    const [kind, target] = reference.split('/');
    const spec = { scaleTargetRef: { kind, name: target }, metrics: targets.split(/,\s*/).map(metricOf) };
    return [itemOf('HorizontalPodAutoscaler', { metadata: { name }, spec })];
  }
  if (allowed === undefined || !/^\d+$/.test(allowed)) return [];
  return [itemOf('PodDisruptionBudget', { metadata: { name }, status: { disruptionsAllowed: Number(allowed) } })];
}

function itemOf(kind: string, rest: KubectlItem['value']): KubectlItem {
  return { kind, value: { kind, ...rest } };
}

// `cpu: 30%/80%`; before 1.28 without the name, and a percentage is then nearly always that of the CPU.
function metricOf(target: string) {
  const name = /^([a-z][\w-]*): /.exec(target)?.[1] ?? (/\/\d+%$/.test(target) ? 'cpu' : undefined);
  return name === undefined ? { type: 'External' } : { type: 'Resource', resource: { name } };
}
