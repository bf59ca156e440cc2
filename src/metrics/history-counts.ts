import type { EngineHistory, HistoryCount, HistoryId, HistoryRead } from '../app/acting-ports.ts';
import type { RawSeries } from './answer.ts';
import { type SortedSeries, sortByPod } from './sort-series.ts';

/** All that is read of the past of engines. */
export const HISTORY_IDS: readonly HistoryId[] = ['ttft', 'e2e.latency', 'queue.time', 'prompt.tokens', 'preemptions'];

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
  };
}

/** Buckets and counters of the metrics above; `whose` is told where there are none. */
export function countsOf(series: readonly RawSeries[], whose: string): HistoryAnswer {
  const sorted = sortByPod(series);
  return answerEach((id) => {
    const counts = (sorted.get(id) ?? []).flatMap(countOf);
    if (counts.length > 0) return { kind: 'read', counts };
    return { kind: 'unknown', why: `${whose} has no such series of these pods` };
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

function boundOf(le: string | undefined): number {
  if (le === undefined || le.trim() === '') return Number.NaN;
  return /^\+?inf$/i.test(le) ? Number.POSITIVE_INFINITY : Number(le);
}
