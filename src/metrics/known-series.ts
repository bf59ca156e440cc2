import { appliesTo, canonicalOf, type KnownSeries, type MetricId, seriesOf } from '../model/metric-table.ts';
import type { RawSeries } from './prometheus-answer.ts';
import { groupOf, type MetricGroup } from './prometheus-queries.ts';

/** One series with its meaning. Labels without those of the scrape; points `[epoch ms, value as exposed]`. */
export type SortedSeries = RawSeries & { readonly name: string; readonly known: KnownSeries };

// Labels that tell how a sample was gathered, not what it is about. A restarted container has a new `id`, and two
// jobs or replicas may watch the same thing: without these labels their samples are one series.
const SCRAPE = [
  '__name__',
  'job',
  'endpoint',
  'service',
  'prometheus',
  'prometheus_replica',
  'replica',
  'metrics_path',
];
const CONTAINER = [...SCRAPE, 'instance', 'id', 'name', 'image', 'uid'];
const NOISE: Readonly<Record<MetricGroup, readonly string[]>> = {
  container: CONTAINER,
  gpu: [...SCRAPE, 'instance'],
  node: [...SCRAPE, 'instance'],
  // Ranks of one pod may listen on ports of their own: `instance` parts them.
  engine: SCRAPE,
};

/** What each series means; those whose name or labels mean nothing are left out, and of several names of a metric the newest is kept. */
export function sortSeries(raw: readonly RawSeries[]): ReadonlyMap<MetricId, readonly SortedSeries[]> {
  const same = Map.groupBy(raw.flatMap(meaningsOf), ({ known, name, labels }) =>
    JSON.stringify([known.id, name, Object.entries(labels).sort()]),
  );
  const merged = [...same.values()].flatMap(merge);
  const byId = Map.groupBy(merged, ({ known }) => known.id);
  return new Map([...byId].map(([id, list]) => [id, newestName(list)]));
}

/** The same for series of several pods: each has the names of its own engine and version. */
export function sortByPod(raw: readonly RawSeries[]): ReadonlyMap<MetricId, readonly SortedSeries[]> {
  const pods = Map.groupBy(raw, ({ labels }) => labels.exported_pod ?? labels.pod);
  const sorted = [...pods.values()].flatMap((own) => [...sortSeries(own)]);
  const byId = Map.groupBy(sorted, ([id]) => id);
  return new Map([...byId].map(([id, lists]) => [id, lists.flatMap(([, list]) => list)]));
}

function meaningsOf({ labels, points }: RawSeries): readonly SortedSeries[] {
  const name = labels.__name__ ?? '';
  if (labels.container === 'POD' || points.length === 0) return [];
  return canonicalOf(name)
    .filter(({ series }) => appliesTo(series, labels))
    .map((known) => {
      const noise = new Set(NOISE[groupOf(known.id)]);
      const kept = Object.fromEntries(Object.entries(labels).filter(([label]) => !noise.has(label)));
      return { name, known, labels: kept, points: without0(name, points) };
    })
    .filter((series) => series.points.length > 0);
}

// cAdvisor says 0 where there is no limit.
function without0(name: string, points: RawSeries['points']): RawSeries['points'] {
  return name === 'container_spec_memory_limit_bytes' ? points.filter(([, value]) => value > 0) : points;
}

// Of two samples of one moment that of the series which began later counts: it is of the next instance, while the last
// sample of the one before still lingers. Of two that began together, as of two replicas of Prometheus, the higher.
function merge(list: readonly SortedSeries[]): readonly SortedSeries[] {
  const [first] = list;
  if (first === undefined || list.length === 1) return list;
  const values = new Map<number, { readonly began: number; readonly value: number }>();
  for (const { points } of list) {
    const began = points[0]?.[0] ?? 0;
    for (const [at, value] of points) {
      const before = values.get(at);
      const wins = before === undefined || began > before.began || (began === before.began && value > before.value);
      if (wins) values.set(at, { began, value });
    }
  }
  const points = [...values].map(([at, { value }]) => [at, value] as const).sort(([a], [b]) => a - b);
  return [{ ...first, points }];
}

// Engines show old and new names side by side for some releases; adding both up would count twice.
function newestName(list: readonly SortedSeries[]): readonly SortedSeries[] {
  const newest = list.toSorted((a, b) => rankOf(a) - rankOf(b))[0];
  return list.filter(({ known }) => known.series.name === newest?.known.series.name);
}

function rankOf({ known }: SortedSeries): number {
  return seriesOf(known.id).indexOf(known.series);
}
