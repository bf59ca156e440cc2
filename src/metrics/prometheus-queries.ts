import type { MetricsTarget } from '../app/ports.ts';
import { METRIC_IDS, type MetricId, type MetricSeries, seriesOf } from '../model/metric-table.ts';
import { lastWithin, type Matchers, selector, union } from './promql.ts';

/** Whose metrics they are: the container's (cAdvisor, kube-state-metrics), the GPU's (DCGM), the node's (node_exporter), or the engine's own. */
export type MetricGroup = 'container' | 'gpu' | 'node' | 'engine';

/** One call to Prometheus. `instant` asks for the last sample before the moment looked at. */
export type Question = {
  readonly group: MetricGroup;
  readonly instant: boolean;
  readonly ids: readonly MetricId[];
  readonly expression: string;
};

const OTHER_COLON = ':';

export function groupOf(id: MetricId): MetricGroup {
  if (id.startsWith('container.')) return 'container';
  if (id.startsWith('gpu.')) return 'gpu';
  return id.startsWith('node.') ? 'node' : 'engine';
}

const idsOf = (group: MetricGroup) => METRIC_IDS.filter((id) => groupOf(id) === group);
const isHistogram = ({ kind }: MetricSeries) => kind === 'histogram';

/** Names under which a group may be found; a relabelling that forbids colons makes `_` of them. */
function namesOf(group: MetricGroup, histograms: boolean): readonly string[] {
  const names = idsOf(group).flatMap((id) =>
    seriesOf(id)
      .filter((series) => isHistogram(series) === histograms)
      .flatMap(({ name }) => (histograms ? ['_bucket', '_sum', '_count'].map((part) => `${name}${part}`) : [name])),
  );
  return [...new Set(names.flatMap((name) => [name, name.replace(OTHER_COLON, '_')]))];
}

/** What is asked about a pod: four ranges and one moment. `extra` are matchers of the cluster. */
export function questionsOf(target: MetricsTarget, extra: Readonly<Record<string, string>>): readonly Question[] {
  const { namespace, pod, container } = target;
  const own: Matchers = container === null ? notPause('container') : { container };
  const exported: Matchers = container === null ? notPause('exported_container') : { exported_container: container };
  // A scrape that keeps its own labels moves those of the workload to exported_*.
  const places = (inner: Matchers, outer: Matchers) => [
    { ...extra, namespace, pod, ...inner },
    { ...extra, exported_namespace: namespace, exported_pod: pod, ...outer },
  ];
  const ask = (group: MetricGroup, inner: Matchers = {}, outer: Matchers = {}) =>
    questionOf(group, places(inner, outer));
  const ofNode = target.node === null ? [] : [memoryOfNode(target.node, extra)];
  return [
    ask('container', own, exported),
    ask('gpu'),
    ask('engine'),
    questionOf('engine', places({}, {}), true),
    ...ofNode,
  ];
}

const RANGE_LOOKBACK_S = 90;
const HISTOGRAM_LOOKBACK_S = 300;

// A sample stands for no longer than this. The 5 minutes that a bare selector looks back would draw a container that is
// dead as alive, and a sample that is old as new.
function questionOf(group: MetricGroup, places: readonly Matchers[], histograms = false): Question {
  const names = namesOf(group, histograms);
  const seconds = histograms ? HISTOGRAM_LOOKBACK_S : RANGE_LOOKBACK_S;
  const expression = union(places.map((place) => lastWithin(selector(names, place), seconds)));
  return { group, instant: histograms, ids: idsWith(group, histograms), expression };
}

/** GPUs of the node, for where the exporter does not name the pod (time-slicing, DRA, its own restart). */
export function gpusOfNode(node: string, extra: Readonly<Record<string, string>>): Question {
  // After dcgm-exporter 4.8.2 the label is `hostname`.
  const labels = ['Hostname', 'hostname', 'node'];
  return questionOf(
    'gpu',
    labels.map((label) => ({ ...extra, [label]: node })),
  );
}

function memoryOfNode(node: string, extra: Readonly<Record<string, string>>): Question {
  return questionOf('node', [
    ...['node', 'nodename', 'kubernetes_node'].map((label) => ({ ...extra, [label]: node })),
    { ...extra, instance: { like: `${node.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}(:[0-9]+)?` } },
  ]);
}

function idsWith(group: MetricGroup, histograms: boolean): readonly MetricId[] {
  return idsOf(group).filter((id) => seriesOf(id).some((series) => isHistogram(series) === histograms));
}

// `POD` is the pause container of older runtimes, an empty name the pod as a whole.
function notPause(label: string): Matchers {
  return { [label]: { like: '.+' } };
}
