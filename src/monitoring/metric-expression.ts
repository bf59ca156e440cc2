import type { MetricId, WatchedId } from '../model/metric.ts';
import { seriesOf } from '../model/metric-table.ts';
import type { MetricSeries } from '../model/metrics-file.ts';
import { tablesInForce } from '../model/reference-tables.ts';

export type MetricName = MetricId | WatchedId;
type AnySeries = MetricSeries | MetricSeries<WatchedId>;

/** How the samples of one series are read: as they are, or by rate and the like. */
export type Read = (selector: string) => string;

const asIs: Read = (selector) => selector;

/**
 * All series of a metric in one expression, each in the unit of the metric: `vllm:x or vllm_x or sglang:y * 1024`. `or`
 * takes the first of two names that a version shows at once. The name with `_` is what a relabeling that forbids colons makes.
 */
export function metricExpression(id: MetricName, read: Read = asIs, part = ''): string {
  const alternatives = merged(knownSeries(id)).flatMap(({ name, matchers, factor }) =>
    spellings(name).map((spelling) => {
      const sample = read(`${spelling}${part}${matchers}`);
      return factor === 1 ? sample : `${sample} * ${factor}`;
    }),
  );
  const all = alternatives.join(' or ');
  const labels = LABELS_OF_WORKLOAD[id.split('.')[0] ?? ''];
  if (labels !== undefined) return labels.reduce(asOfWorkload, all);
  return alternatives.length === 1 ? all : `(${all})`;
}

// A scrape that keeps its own labels moves those of the workload to exported_*; engines show none of their own.
const LABELS_OF_WORKLOAD: Readonly<Record<string, readonly string[]>> = {
  gpu: ['namespace', 'pod'],
  pod: ['namespace', 'pod'],
  container: ['namespace', 'pod', 'container'],
  autoscaler: ['namespace'],
};

function asOfWorkload(expression: string, label: string): string {
  return `label_replace(${expression}, "${label}", "$1", "exported_${label}", "(.+)")`;
}

/** Every name that the rules may use, as exposed and with `_` for `:`. */
export function knownMetricNames(): ReadonlySet<string> {
  const { metrics, watched } = tablesInForce();
  const parts = ({ kind }: AnySeries) => (kind === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']);
  return new Set(
    [...metrics, ...watched].flatMap((series) =>
      spellings(series.name).flatMap((name) => parts(series).map((part) => `${name}${part}`)),
    ),
  );
}

// PromQL cannot read a figure that stands in a label.
function knownSeries(id: MetricName): readonly AnySeries[] {
  const watched = tablesInForce().watched.filter((series) => series.id === id);
  return watched.length > 0 ? watched : seriesOf(id as MetricId).filter(({ label }) => label === null);
}

function spellings(name: string): readonly string[] {
  return [...new Set([name, name.replace(':', '_')])];
}

type Selected = { readonly name: string; readonly matchers: string; readonly factor: number };

// Rows that differ in the value of a label alone are one selector.
function merged(series: readonly AnySeries[]): readonly Selected[] {
  const groups = Map.groupBy(series, ({ name, where, factor }) => [name, Object.keys(where), factor].join('\n'));
  return [...groups.values()].map((rows) => {
    const [{ name, where, factor }] = rows as [AnySeries, ...AnySeries[]];
    const matchers = Object.keys(where).map((label) => {
      const values = [...new Set(rows.map((row) => row.where[label] ?? ''))];
      const isExact = values.length === 1 && !values[0]?.endsWith('*');
      return isExact ? `${label}="${values[0]}"` : `${label}=~"${values.map(asPattern).join('|')}"`;
    });
    return { name, factor, matchers: matchers.length === 0 ? '' : `{${matchers.join(',')}}` };
  });
}

function asPattern(value: string): string {
  return value.endsWith('*') ? `${value.slice(0, -1)}.*` : value;
}
