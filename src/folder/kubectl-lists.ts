import { z } from 'zod';
import { revisionOf } from '../read/cluster/revision-object.ts';

const Item = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ ownerReferences: z.array(z.looseObject({ name: z.string() })).optional() }).optional(),
});
type Item = z.infer<typeof Item>;
const Items = z.object({ kind: z.string().regex(/List$/), items: z.array(Item) }).transform(({ items }) => items);

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
  const items = itemsOf(text) ?? (file === 'autoscalers.json' ? itemsOfTables(text) : undefined);
  if (items === undefined || items.length === 0) return text;
  return JSON.stringify(file === 'revisions.json' ? revisionsAmong(items) : scalersAmong(items), null, 2);
}

function itemsOf(text: string): readonly Item[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const item = Item.safeParse(value).data;
    return Items.safeParse(value).data ?? (item && item.kind in OF_KIND ? [item] : undefined);
  } catch {
    return undefined;
  }
}

function scalersAmong(items: readonly Item[]) {
  return Object.groupBy(
    items.filter(({ kind }) => Object.hasOwn(OF_KIND, kind)),
    ({ kind }) => OF_KIND[kind] ?? '',
  );
}

// The newest first.
function revisionsAmong(items: readonly Item[]) {
  const own = items.filter(({ kind }) => REVISIONS.includes(kind));
  return own
    .map((item) => ({ ...revisionOf(item.kind, item), owner: item.metadata?.ownerReferences?.[0]?.name }))
    .toSorted((a, b) => b.revision - a.revision);
}

// Columns stand two blanks apart or more; one blank belongs to a cell.
const BETWEEN = /\s{2,}/;

function itemsOfTables(text: string): Item[] | undefined {
  const items: Item[] = [];
  let columns: readonly string[] = [];
  for (const line of text.split('\n')) {
    const cells = line.trim().split(BETWEEN);
    if (/^(?:NAMESPACE\s+)?NAME\s/.test(line)) columns = cells;
    else items.push(...itemIn(new Map(columns.map((column, i) => [column, cells[i] ?? '']))));
  }
  return items.length === 0 ? undefined : items;
}

function itemIn(row: ReadonlyMap<string, string>): Item[] {
  const name = (row.get('NAME') ?? '').replace(/^.*\//, '');
  const [targets, reference = '', allowed] = ['TARGETS', 'REFERENCE', 'ALLOWED DISRUPTIONS'].map((key) => row.get(key));
  if (name === '') return [];
  if (targets !== undefined) {
    const [kind, target] = reference.split('/');
    const spec = { scaleTargetRef: { kind, name: target }, metrics: targets.split(/,\s*/).map(metricOf) };
    return [{ kind: 'HorizontalPodAutoscaler', metadata: { name }, spec }];
  }
  if (allowed === undefined || !/^\d+$/.test(allowed)) return [];
  return [{ kind: 'PodDisruptionBudget', metadata: { name }, status: { disruptionsAllowed: Number(allowed) } }];
}

// `cpu: 30%/80%`; before 1.28 without the name, and a percentage is then nearly always that of the CPU.
function metricOf(target: string) {
  const name = /^([a-z][\w-]*): /.exec(target)?.[1] ?? (/\/\d+%$/.test(target) ? 'cpu' : undefined);
  return name === undefined ? { type: 'External' } : { type: 'Resource', resource: { name } };
}
