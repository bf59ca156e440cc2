import { appliesTo, canonicalOf, type KnownSeries, type MetricId, seriesOf } from '../model/metric-table.ts';
import type { RawSeries } from './answer.ts';
import { groupOf, type MetricGroup } from './questions.ts';

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
  const merged = new Map<string, SortedSeries>();
  for (const series of raw.flatMap(meaningsOf)) {
    const key = JSON.stringify([series.known.id, series.name, Object.entries(series.labels).sort()]);
    const before = merged.get(key);
    merged.set(key, before === undefined ? series : { ...before, points: mergePoints(before.points, series.points) });
  }
  const byId = Map.groupBy(merged.values(), ({ known }) => known.id);
  return new Map([...byId].map(([id, list]) => [id, newestName(list)]));
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

// Of two samples of one moment the higher: they tell of the same thing, and one of them may be of the next instance.
function mergePoints(a: RawSeries['points'], b: RawSeries['points']): RawSeries['points'] {
  const at = new Map<number, number>(a);
  for (const [time, value] of b) at.set(time, Math.max(value, at.get(time) ?? Number.NEGATIVE_INFINITY));
  return [...at].sort(([left], [right]) => left - right);
}

// Engines show old and new names side by side for some releases; adding both up would count twice.
function newestName(list: readonly SortedSeries[]): readonly SortedSeries[] {
  const newest = list.toSorted((a, b) => rankOf(a) - rankOf(b))[0];
  return list.filter(({ known }) => known.series.name === newest?.known.series.name);
}

function rankOf({ known }: SortedSeries): number {
  return seriesOf(known.id).indexOf(known.series);
}
