import type { MetricSample, MetricsTextReading } from '../metrics/metrics-text.ts';
import type { TextSeries } from '../metrics/text-series.ts';
import type { LabelledLine } from '../text/lines.ts';
import type { WhoseMetric } from './owner.ts';

/** metrics.txt as far as it is the engine's. The lines of others and those that may be, by number. */
export type OwnMetrics = {
  readonly metrics: MetricsTextReading;
  readonly own: readonly MetricSample[];
  readonly maybe: readonly MetricSample[];
  readonly others: ReadonlySet<number>;
  readonly unsure: ReadonlySet<number>;
};

/** Leaves out of metrics.txt what is not the engine's. */
export function ownMetrics(metrics: MetricsTextReading, whose: (line: LabelledLine) => WhoseMetric): OwnMetrics {
  const of = new Map(metrics.labelled.map((one) => [one.line, whose(one)] as const));
  const at = ({ from }: Placed): WhoseMetric => (from.kind === 'line' ? (of.get(from.line) ?? 'own') : 'own');
  const isLeft = (one: Placed) => at(one) === 'own' || at(one) === 'unsure';
  return {
    metrics: {
      ...metrics,
      samples: metrics.samples.filter(isLeft),
      series: metrics.series.flatMap((series) => pointsThatAre(series, isLeft)),
    },
    own: metrics.samples.filter((sample) => at(sample) === 'own'),
    maybe: metrics.samples.filter((sample) => at(sample) === 'unsure'),
    others: linesOf(of, ['other']),
    unsure: linesOf(of, ['unsure', 'open']),
  };
}

type Placed = { readonly from: TextSeries['points'][number]['from'] };

function pointsThatAre(series: TextSeries, isLeft: (one: Placed) => boolean): readonly TextSeries[] {
  const points = series.points.filter(isLeft);
  if (points.length === series.points.length) return [series];
  return points.length < 2 ? [] : [{ ...series, points }];
}

function linesOf(of: ReadonlyMap<number, WhoseMetric>, wanted: readonly WhoseMetric[]): ReadonlySet<number> {
  return new Set([...of].filter(([, whose]) => wanted.includes(whose)).map(([n]) => n));
}
