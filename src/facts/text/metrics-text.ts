import type { Citation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import type { MetricId } from '../../model/metric-table.ts';
import type { TextSeries } from './text-series.ts';

/** A sample of the Prometheus text form. `value` as exposed; `at` epoch ms where the line has a timestamp. */
export type MetricSample = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly at: number | undefined;
  readonly from: Citation;
};

/** A figure as people write it: `GPU memory 78.9 GiB of 79.1`. `value` and `limit` in `unit`. */
export type Figure = {
  readonly label: string;
  readonly id: MetricId | undefined;
  readonly value: number;
  readonly limit: number | undefined;
  readonly unit: 'bytes' | 'share' | 'count';
  readonly from: Citation;
};

/** torch.cuda.memory_summary(): bytes now and at the peak. */
export type TorchAccount = {
  readonly allocated: Cited<number> | undefined;
  readonly reserved: Cited<number> | undefined;
  readonly peakAllocated: Cited<number> | undefined;
  readonly peakReserved: Cited<number> | undefined;
  readonly nonReleasable: Cited<number> | undefined;
  readonly ooms: Cited<number> | undefined;
};

export type MetricsTextReading = {
  readonly samples: readonly MetricSample[];
  readonly figures: readonly Figure[];
  readonly series: readonly TextSeries[];
  readonly account: TorchAccount | undefined;
};

/** metrics.txt: Prometheus text, lines of figures, tables, or torch's memory summary. Never throws. */
export function readMetricsText(_text: string): MetricsTextReading {
  return { samples: [], figures: [], series: [], account: undefined };
}

/** The value of a metric in its own unit, over all samples that bear it (summed, or the worst, as the table says), else from the figures. */
export function metricValue(_reading: MetricsTextReading, _id: MetricId): Cited<number> | undefined {
  return undefined;
}

/** Quantile `q` (0 to 1) of a histogram over all its labels, by linear interpolation inside the bucket. */
export function quantileOf(_reading: MetricsTextReading, _id: MetricId, _q: number): Cited<number> | undefined {
  return undefined;
}
