import {
  appliesTo,
  canonicalOf,
  isMetricId,
  type MetricId,
  type MetricSeries,
  metricMeaning,
} from '../../model/metric-table.ts';
import { fromTables } from '../../model/reference-tables.ts';

/** What a name of a sample means: which metric, by what to multiply, and in which label the figure stands if it is not the value. */
export type Meaning = {
  readonly id: MetricId;
  readonly factor: number;
  readonly series: string;
  readonly label: string | null;
};

function meaningIn(id: MetricId, { factor, name, label }: MetricSeries): Meaning {
  return { id, factor, series: name, label };
}

// Names without the engine in front (`num_requests_running`), as other engines and people write them.
const bareNames = fromTables(
  ({ metrics }): ReadonlyMap<string, readonly MetricSeries[]> =>
    Map.groupBy(
      metrics.filter(({ kind, name }) => kind !== 'histogram' && name.includes(':')),
      ({ name }) => name.split(':')[1] ?? '',
    ),
);

/** The metrics that a sample belongs to, several where its labels hold several figures; none for parts of histograms and for unknown names. */
export function meaningsOf(name: string, labels: Readonly<Record<string, string>>): readonly Meaning[] {
  const known = canonicalOf(name);
  if (known.length > 0) {
    const own = known.filter(({ series, part }) => part === undefined && appliesTo(series, labels));
    return own.map(({ id, series }) => meaningIn(id, series));
  }
  const bare = (bareNames().get(name) ?? []).filter((series) => appliesTo(series, labels));
  // Several engines may have one name for one thing.
  if (bare.length > 0) return [...new Map(bare.map((series) => [series.id, meaningIn(series.id, series)])).values()];
  const id = wordsMeaning(name);
  return id === undefined ? [] : [{ id, factor: 1, series: name, label: null }];
}

/** The metric whose figures are the values of the samples themselves. */
export function meaningOf(name: string, labels: Readonly<Record<string, string>>): Meaning | undefined {
  return meaningsOf(name, labels).find(({ label }) => label === null);
}

// Order counts: the first that fits. Blanks stand for any of ` _.-`.
const WORDS: readonly (readonly [MetricId, RegExp])[] = [
  ['kv-cache.used-share', /\b(?:kv cache|kv|gpu cache|token) (?:usage|used share|utili[sz]ation|use)\b/],
  ['requests.running', /\b(?:requests? running|running (?:requests?|reqs?)|num running)\b|^running$/],
  [
    'requests.waiting',
    /\b(?:requests? waiting|waiting (?:requests?|reqs?)|queue(?:d)? (?:requests?|reqs?)|num waiting)\b|^waiting$/,
  ],
  ['preemptions', /\bpreemptions?\b/],
  ['node.memory.available', /\bmem ?available\b/],
  ['container.restarts', /\b(?:container )?restarts?(?: total| count)?$/],
  ['container.memory.limit', /\b(?:memory|container|pod|ram) limit\b|\bmemory max\b/],
  [
    'container.memory.working-set',
    /\bworking set\b|\bcgroup memory current\b|^memory current$|\b(?:container|pod) (?:memory|ram)\b(?! (?:cache|swap|mapped|fail\w*|kernel)\b)/,
  ],
  // Of a process or of all of a container: a course is read from it, and no share of a limit.
  [
    'container.memory.rss',
    /\bcontainer memory rss\b|\b(?:rss|resident(?: set)?(?: size| memory)?)(?: (?:[kmg]i?b|bytes))?$/,
  ],
  ['gpu.utilization', /\bgpu util(?:i[sz]ation)?\b|^gpu busy$/],
  ['gpu.temperature', /\bgpu temp(?:erature)?\b/],
  ['gpu.framebuffer.free', /\b(?:gpu memory|gpu mem|vram|framebuffer|fb) free\b|\bfree (?:gpu memory|vram)\b/],
  ['gpu.framebuffer.used', /\b(?:gpu memory|gpu mem|vram|framebuffer|fb)(?: (?:in use|used|usage))?$/],
];

/** What a label in people's own words means: `GPU memory`, `requests.running`, `KV cache usage`. */
export function wordsMeaning(label: string): MetricId | undefined {
  const text = label.trim();
  if (isMetricId(text)) return text;
  const words = text
    .replaceAll(/[_.:\s-]+/g, ' ')
    .toLowerCase()
    .trim();
  return WORDS.find(([, pattern]) => pattern.test(words))?.[0];
}

/** Units that a figure of this metric must bear: a size in bytes is never read from a bare number. */
export function needsSize(id: MetricId): boolean {
  return metricMeaning(id).unit === 'bytes';
}
