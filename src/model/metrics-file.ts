import { z } from 'zod';
import { METRIC_IDS, type MetricId, WATCHED_IDS, type WatchedId } from './metric.ts';
import { GIB, MIB } from './quantity.ts';
import { Version, Words } from './table-words.ts';

const Row = {
  name: Words,
  /** `gauge` is read as it stands, `counter` (where a name ends in _total) by its increase, `histogram` by name plus _bucket, _sum, _count. */
  kind: z.enum(['gauge', 'counter', 'histogram']).optional(),
  /** The value as exposed times this is in the unit of the metric. */
  factor: z.union([z.number().gt(0), z.enum(['MiB', 'GiB'])]).optional(),
  /** Only samples with these labels count; a value may end in `*`. */
  where: z.record(Words, Words).optional(),
  /** The figure stands in this label, the sample itself is 1; a sample in which it is no number does not count. */
  label: Words.optional(),
  /** A counter that is not there before it first counts: where a sample of this name is, it is 0. */
  'zero-with': Words.optional(),
  from: Version.optional(),
  to: Version.optional(),
};
const MetricRow = z.strictObject({ id: z.enum(METRIC_IDS as [MetricId, ...MetricId[]]), ...Row });
const WatchedRow = z.strictObject({ id: z.enum(WATCHED_IDS), ...Row });

const groupOf = <T extends typeof MetricRow | typeof WatchedRow>(row: T) =>
  z.strictObject({ source: Words, series: z.array(row).min(1) });

/** engines/<engine>/metrics.yaml, platform/<exporter>/metrics.yaml: of one metric the newest name first. `watched`: for rules and dashboard alone. */
export const MetricsFile = z.strictObject({
  metrics: z.array(groupOf(MetricRow)).min(1),
  watched: z.array(groupOf(WatchedRow)).min(1).optional(),
});
export type MetricsFile = z.infer<typeof MetricsFile>;

/** One series of one engine or exporter. `from` and `to` are the first and last version that has it; null = not bounded. */
export type MetricSeries<Id extends MetricId | WatchedId = MetricId> = {
  readonly id: Id;
  readonly engine: string;
  readonly name: string;
  readonly kind: 'gauge' | 'counter' | 'histogram';
  readonly factor: number;
  readonly where: Readonly<Record<string, string>>;
  readonly label: string | null;
  readonly zeroWith: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly source: string;
};

const FACTORS = { MiB: MIB, GiB: GIB };

export function seriesIn(engine: string, { metrics }: MetricsFile): MetricSeries[] {
  return rowsOf(engine, metrics);
}

export function watchedIn(engine: string, { watched = [] }: MetricsFile): MetricSeries<WatchedId>[] {
  return rowsOf(engine, watched);
}

type Rows<Id> = readonly { source: string; series: readonly (Omit<z.infer<typeof MetricRow>, 'id'> & { id: Id })[] }[];

function rowsOf<Id extends MetricId | WatchedId>(engine: string, groups: Rows<Id>): MetricSeries<Id>[] {
  return groups.flatMap(({ source, series }) =>
    series.map(({ id, name, kind, factor = 1, where = {}, label = null, from = null, to = null, ...row }) => ({
      id,
      engine,
      name,
      kind: kind ?? (name.endsWith('_total') ? 'counter' : 'gauge'),
      factor: typeof factor === 'number' ? factor : FACTORS[factor],
      where,
      label,
      zeroWith: row['zero-with'] ?? null,
      from,
      to,
      source,
    })),
  );
}
