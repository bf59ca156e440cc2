/** Counts up to each bound, as a histogram of Prometheus has them; the last bound is infinity. */
export type Histogram = readonly (readonly [le: number, count: number])[];

/** One bucket of one process: `[epoch ms, count since it began]`. `source` parts processes: pod, rank, model. */
export type BucketPoints = {
  readonly source: string;
  readonly le: number;
  readonly points: readonly (readonly [number, number])[];
};

export type Quantile =
  | { readonly kind: 'known'; readonly value: number; readonly atLeast: boolean }
  | { readonly kind: 'empty' };

/**
 * What was counted between the first and the last point. A count that falls was reset by a restart, so all of it is new.
 * `isBorn`: the process began after `from`, so the count at its first point is new too, unless that point is at `from`
 * itself and belongs to the process before.
 */
export function increaseOf(
  buckets: readonly BucketPoints[],
  { from, isBorn }: { readonly from: number; readonly isBorn: (source: string) => boolean },
): Histogram {
  const sources = Map.groupBy(buckets, ({ source }) => source);
  return addUp([...sources].map(([source, own]) => increaseOfOne(own, (first) => isBorn(source) && first > from)));
}

function increaseOfOne(buckets: readonly BucketPoints[], countsFromZero: (first: number) => boolean): Histogram {
  const bounds = buckets.map(({ le }) => le).toSorted((a, b) => a - b);
  const byTime = new Map<number, Map<number, number>>();
  for (const { le, points } of buckets) {
    for (const [at, count] of points) byTime.set(at, (byTime.get(at) ?? new Map<number, number>()).set(le, count));
  }
  // A moment at which a bucket is missing was not read whole.
  const moments = [...byTime].filter(([, counts]) => counts.size === bounds.length).toSorted(([a], [b]) => a - b);
  const [first, ...rest] = moments;
  if (first === undefined) return [];
  const nothing = new Map<number, number>();
  const sums = new Map<number, number>();
  let before = countsFromZero(first[0]) ? nothing : first[1];
  for (const [, counts] of [first, ...rest]) {
    const isReset = totalOf(counts) < totalOf(before);
    const base = isReset ? nothing : before;
    for (const le of bounds) {
      sums.set(le, (sums.get(le) ?? 0) + Math.max(0, (counts.get(le) ?? 0) - (base.get(le) ?? 0)));
    }
    before = counts;
  }
  return bounds.map((le) => [le, sums.get(le) ?? 0]);
}

function totalOf(counts: ReadonlyMap<number, number>): number {
  return Math.max(0, ...counts.values());
}

// Processes of two versions may have other bounds: at a bound that one lacks it counts what it has up to the next lower.
function addUp(histograms: readonly Histogram[]): Histogram {
  const bounds = [...new Set(histograms.flatMap((one) => one.map(([le]) => le)))].toSorted((a, b) => a - b);
  return bounds.map((le) => [le, histograms.reduce((sum, one) => sum + countUpTo(one, le), 0)]);
}

/** How many lie at or below a bound; between two bounds what lies below the lower one. */
export function countUpTo(histogram: Histogram, bound: number): number {
  return histogram.findLast(([le]) => le <= bound)?.[1] ?? 0;
}

/** How many were counted. */
export function countOf(histogram: Histogram): number {
  return histogram.at(-1)?.[1] ?? 0;
}

/** The value below which the share `q` lies, linear between two bounds; beyond the last finite bound it is at least that. */
export function quantileOf(histogram: Histogram, q: number): Quantile {
  const total = countOf(histogram);
  if (total <= 0) return { kind: 'empty' };
  const rank = q * total;
  const i = histogram.findIndex(([, count]) => count >= rank && count > 0);
  const [upper, count] = histogram[i] ?? [Number.POSITIVE_INFINITY, total];
  const [lower, below] = histogram[i - 1] ?? [0, 0];
  if (!Number.isFinite(upper)) return { kind: 'known', value: lower, atLeast: true };
  const within = count > below ? (rank - below) / (count - below) : 1;
  return { kind: 'known', value: lower + (upper - lower) * Math.max(0, within), atLeast: false };
}

/**
 * Between which values a quantile of a part of what was counted lies, when only the size of that part is known: at best
 * all others are the highest, at worst all others are the lowest. `share` above 0.
 */
export function boundsOfPart(
  histogram: Histogram,
  { share, q }: { readonly share: number; readonly q: number },
): { readonly low: Quantile; readonly high: Quantile } {
  return { low: quantileOf(histogram, share * q), high: quantileOf(histogram, 1 - share * (1 - q)) };
}
