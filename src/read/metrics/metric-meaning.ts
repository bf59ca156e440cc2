import { appliesTo, canonicalOf, type MetricId, type MetricSeries } from '../../model/metric-table.ts';
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
  return [...new Map(bare.map((series) => [series.id, meaningIn(series.id, series)])).values()];
}

/** The metric whose figures are the values of the samples themselves. */
export function meaningOf(name: string, labels: Readonly<Record<string, string>>): Meaning | undefined {
  return meaningsOf(name, labels).find(({ label }) => label === null);
}
