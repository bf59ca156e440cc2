import type { EngineHistory, HistoryAsk, HistoryCount, HistoryId, HistoryRead } from '../app/acting-ports.ts';
import type { ReadContext } from '../app/ports.ts';
import { seriesNames, seriesOf, zeroesWith } from '../model/metric-table.ts';
import { type SortedSeries, sortByPod } from './known-series.ts';
import type { RawSeries } from './prometheus-answer.ts';
import { createPrometheusClient, type PrometheusClient } from './prometheus-client.ts';
import type { PrometheusOptions } from './prometheus-metrics.ts';
import { lastWithin, type Matchers, podPlaces, selector, union } from './promql.ts';

const MOST_POINTS = 60;
const LEAST_STEP_MS = 15_000;
// Longer than most scrape intervals, short enough that what has ended is seen to have.
const LOOKBACK_S = 120;

/** The past of engines out of a Prometheus: one call, one answer of raw counts. Never throws. */
export function createEngineHistory(options: PrometheusOptions): EngineHistory {
  const client = createPrometheusClient(options);
  return { read: (ask, context) => readHistory(client, options.labels ?? {}, ask, context) };
}

async function readHistory(
  client: PrometheusClient,
  labels: Readonly<Record<string, string>>,
  ask: HistoryAsk,
  context: ReadContext,
): Promise<HistoryAnswer> {
  const answer = await client.ask('query_range', { query: expressionOf(ask, labels), ...gridOf(ask) }, context);
  if (answer.kind === 'none') return answerEach(() => ({ kind: 'unknown', why: answer.detail }));
  return countsOf(answer.series, 'Prometheus');
}

// The grid ends at the very end, so that a series without a point there is one that has ended.
function gridOf({ from, to }: HistoryAsk): { start: string; end: string; step: string } {
  const stepMs = Math.max(LEAST_STEP_MS, Math.ceil((to - from) / MOST_POINTS / 1000) * 1000);
  const steps = Math.max(1, Math.ceil((to - from) / stepMs));
  const seconds = (ms: number) => (ms / 1000).toFixed(3);
  return { start: seconds(to - steps * stepMs), end: seconds(to), step: String(stepMs / 1000) };
}

function expressionOf({ namespace, pods }: HistoryAsk, extra: Matchers): string {
  const names = HISTORY_IDS.flatMap(namesOf);
  return union(podPlaces(namespace, pods, extra).map((place) => lastWithin(selector(names, place), LOOKBACK_S)));
}

function namesOf(id: (typeof HISTORY_IDS)[number]): readonly string[] {
  const isHistogram = seriesOf(id).some(({ kind }) => kind === 'histogram');
  return isHistogram ? seriesNames(id).map((name) => `${name}_bucket`) : seriesNames(id);
}

export const HISTORY_IDS: readonly HistoryId[] = [
  ...(['ttft', 'e2e.latency', 'queue.time', 'prompt.tokens', 'preemptions'] as const),
  'requests.rejected',
];

/** What one reading gave; the same as the port's answer. */
export type HistoryAnswer = Awaited<ReturnType<EngineHistory['read']>>;

/** Every metric from one function. */
export function answerEach(read: (id: HistoryId) => HistoryRead): HistoryAnswer {
  return {
    ttft: read('ttft'),
    'e2e.latency': read('e2e.latency'),
    'queue.time': read('queue.time'),
    'prompt.tokens': read('prompt.tokens'),
    preemptions: read('preemptions'),
    'requests.rejected': read('requests.rejected'),
  };
}

/** Buckets and counters of the metrics above; `whose` is told where there are none. */
export function countsOf(series: readonly RawSeries[], whose: string): HistoryAnswer {
  const sorted = sortByPod(series);
  return answerEach((id) => {
    const own = (sorted.get(id) ?? []).flatMap(countOf);
    const told = new Set(own.map(({ pod }) => pod));
    const counts = [...own, ...series.flatMap((one) => zeroOf(one, id)).filter(({ pod }) => !told.has(pod))];
    if (counts.length > 0) return { kind: 'read', counts };
    return { kind: 'unknown', why: `${whose} has no such series for these pods` };
  });
}

function countOf({ known, labels, points }: SortedSeries): HistoryCount[] {
  const { le, ...rest } = labels;
  const pod = labels.exported_pod ?? labels.pod;
  const bound = known.part === undefined ? Number.POSITIVE_INFINITY : boundOf(le);
  const isBucket = known.part === undefined || known.part === 'bucket';
  if (pod === undefined || !isBucket || Number.isNaN(bound)) return [];
  const { factor } = known.series;
  return [{ pod, source: JSON.stringify(Object.entries(rest).sort()), le: bound * factor, points }];
}

// A counter with labels has no series before it counts: a sample of its witness says that the engine would show it.
function zeroOf({ labels, points }: RawSeries, id: HistoryId): HistoryCount[] {
  const pod = labels.exported_pod ?? labels.pod;
  if (pod === undefined || !zeroesWith(labels.__name__ ?? '').includes(id)) return [];
  const zero = points.map(([at]) => [at, 0] as const);
  return [{ pod, source: JSON.stringify([pod, 'zero']), le: Number.POSITIVE_INFINITY, points: zero }];
}

function boundOf(le: string | undefined): number {
  if (le === undefined || le.trim() === '') return Number.NaN;
  return /^\+?inf$/i.test(le) ? Number.POSITIVE_INFINITY : Number(le);
}
