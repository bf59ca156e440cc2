import type { Clock, MetricsTarget, ReadContext } from '../app/ports.ts';
import { figureIn, METRIC_IDS, type MetricId, metricMeaning, zeroesWith } from '../model/metric-table.ts';
import type { NotRead, Series } from '../model/snapshot.ts';
import { type SortedSeries, sortSeries } from './known-series.ts';
import type { Answer, RawSeries } from './prometheus-answer.ts';
import { type ClientOptions, createPrometheusClient, type PrometheusClient } from './prometheus-client.ts';
import { gpusOfNode, type Question, questionsOf } from './prometheus-queries.ts';
import { type MetricsSource, type Missing, momentOf, type Reading, windowOf } from './reading.ts';
import { sampleLine } from './sample-line.ts';

export type { PrometheusAuth } from './credentials.ts';
export type { TlsOptions } from './tls.ts';

export type PrometheusOptions = ClientOptions & {
  readonly clock: Clock;
  /** Extra matchers, where one Prometheus holds several clusters. */
  readonly labels?: Readonly<Record<string, string>>;
};

/** Metrics of one cluster out of a Prometheus, in at most six calls. Never throws: what could not be had stands in `notRead` with its reason. */
export function createPrometheusMetrics(options: PrometheusOptions): MetricsSource {
  const client = createPrometheusClient(options);
  return { read: (target, context) => readAll({ client, ...options }, target, context) };
}

type Parts = Pick<PrometheusOptions, 'clock' | 'labels'> & { readonly client: PrometheusClient };
type Answered = { readonly question: Question; readonly answer: Answer };

async function readAll(parts: Parts, target: MetricsTarget, context: ReadContext): Promise<Reading> {
  const now = parts.clock.now();
  const window = windowOf(target.diedAt, now);
  const at = momentOf(target.diedAt, now);
  const ask = async (question: Question): Promise<Answered> => ({
    question,
    answer: await parts.client.ask(
      question.instant ? 'query' : 'query_range',
      parametersOf(question, window, at),
      context,
    ),
  });
  const answers = await Promise.all(
    questionsOf(target, parts.labels ?? {}).map(async (question) => {
      const first = await ask(question);
      if (!isEmptyGpu(first) || target.node === null) return first;
      return ofThisPod(await ask(gpusOfNode(target.node, parts.labels ?? {})), target);
    }),
  );
  return combine(answers, window, at);
}

function parametersOf(
  { expression, instant }: Question,
  window: Reading['window'],
  at: number,
): Record<string, string> {
  const seconds = (ms: number) => (ms / 1000).toFixed(3);
  if (instant) return { query: expression, time: seconds(at) };
  const { from, to, stepMs } = window;
  const step = String(stepMs / 1000);
  return { query: expression, start: seconds(from), end: seconds(to), step };
}

function isEmptyGpu({ question, answer }: Answered): boolean {
  return question.group === 'gpu' && answer.kind === 'series' && answer.series.length === 0;
}

// On a shared node the other GPUs are other people's: those that name another pod are left out.
function ofThisPod({ question, answer }: Answered, { pod, namespace }: MetricsTarget): Answered {
  if (answer.kind !== 'series') return { question, answer };
  const own = ({ labels }: RawSeries) => {
    const place = workloadOf(labels);
    return place === undefined || (place.pod === pod && (place.namespace ?? namespace) === namespace);
  };
  return { question, answer: { ...answer, series: answer.series.filter(own) } };
}

// A scrape that keeps its own labels has the exporter's pod in `pod`: that says nothing about who uses the GPU.
function workloadOf(labels: RawSeries['labels']): { pod: string; namespace: string | undefined } | undefined {
  if (labels.exported_pod) return { pod: labels.exported_pod, namespace: labels.exported_namespace };
  const { pod, namespace, container = '' } = labels;
  return !pod || /dcgm|exporter/.test(`${pod} ${container}`) ? undefined : { pod, namespace };
}

// More than this is a label that never repeats, not a pod.
const MAX_SERIES = 2000;

function combine(answers: readonly Answered[], window: Reading['window'], at: number): Reading {
  const series: Series[] = [];
  const lines: string[] = [];
  const missing = new Map<MetricId, Missing>();
  const known = new Set<MetricId>();
  const zeroes: MetricId[] = [];
  const notes: NotRead[] = [];
  for (const { question, answer } of answers) {
    if (answer.kind === 'none') {
      for (const id of question.ids) missing.set(id, { reason: answer.reason, detail: answer.detail });
      continue;
    }
    notes.push(...notesOf(question, answer));
    const kept = answer.series.slice(0, MAX_SERIES);
    const sorted = sortSeries(kept);
    zeroes.push(...kept.flatMap(({ labels }) => zeroesWith(labels.__name__ ?? '')).filter((id) => !sorted.has(id)));
    for (const id of question.ids) {
      const read = readSeries(question, id, sorted.get(id), at);
      series.push(...read.series);
      lines.push(...read.lines);
      if (read.missing === undefined) known.add(id);
      else missing.set(id, read.missing);
    }
  }
  const unasked = METRIC_IDS.filter((id) => !known.has(id) && !missing.has(id));
  for (const id of unasked) missing.set(id, { reason: 'empty', detail: 'node unknown' });
  // A metric that one engine shows as a gauge and another as a histogram is asked for twice: one answer will do.
  for (const id of [...known, ...zeroes]) missing.delete(id);
  // One line may hold several figures in its labels.
  return { window, series, lines: [...new Set(lines)], missing, notes };
}

function notesOf({ group }: Question, { series, warnings }: Extract<Answer, { kind: 'series' }>): readonly NotRead[] {
  const item = `metrics of the ${group}`;
  const warned = warnings
    .slice(0, 1)
    .map((text): NotRead => ({ item, reason: 'failed', detail: `Prometheus warns: ${text}` }));
  if (series.length <= MAX_SERIES) return warned;
  return [...warned, { item, reason: 'budget', detail: `read ${MAX_SERIES} of ${series.length} series` }];
}

/** An answer further from the moment than this is about another time. */
const STALE_MS = 5 * 60_000;

type ReadSeries = {
  readonly series: readonly Series[];
  readonly lines: readonly string[];
  readonly missing: Missing | undefined;
};

/** One metric of one answer, as series and as the last sample at or before `at` (epoch ms). */
function readSeries(
  question: Question,
  id: MetricId,
  found: readonly SortedSeries[] | undefined,
  at: number,
): ReadSeries {
  if (found === undefined || found.length === 0) return { series: [], lines: [], missing: absent(question) };
  const last = found.map((one) => one.points.findLast(([time]) => time <= at)?.[0] ?? Number.NEGATIVE_INFINITY);
  const missing = lateness(Math.max(...last), at);
  return {
    series: question.instant ? [] : found.map((one) => toSeries(id, one, question.expression)),
    lines: found.flatMap((one) => lastLine(one, at)),
    missing,
  };
}

function absent({ group }: Question): Missing {
  const whose = {
    container: 'the container',
    gpu: 'a GPU of the pod',
    node: 'its node',
    engine: 'an engine in the pod',
  }[group];
  return { reason: 'empty', detail: `Prometheus has no such series for ${whose} in this window` };
}

function lateness(last: number, at: number): Missing | undefined {
  if (last === Number.NEGATIVE_INFINITY) {
    return { reason: 'empty', detail: 'all samples are too new' };
  }
  const age = at - last;
  if (age <= STALE_MS) return undefined;
  return {
    reason: 'stale',
    detail: `the last sample is ${Math.round(age / 60_000)} min too old`,
  };
}

function toSeries(id: MetricId, { known, labels, points }: SortedSeries, query: string): Series {
  const { series } = known;
  return {
    id,
    unit: metricMeaning(id).unit,
    labels: { ...labels },
    query,
    points: points.map(([time, value]) => [time, scale(figureIn(series, labels, value), series.factor)]),
  };
}

// 97 times 0.01 has dust behind the comma.
function scale(value: number, factor: number): number {
  return factor === 1 ? value : Number((value * factor).toPrecision(12));
}

function lastLine({ name, labels, points }: SortedSeries, at: number): readonly string[] {
  const last = points.findLast(([time]) => time <= at && at - time <= STALE_MS);
  return last === undefined ? [] : [sampleLine(name, labels, { at: last[0], value: last[1] })];
}
