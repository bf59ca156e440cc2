import type { LogReading } from '../../model/log-reading.ts';
import { MOST_RUNS } from '../../read/log/last-run.ts';
import type { LogChoice } from '../log/choose-logs.ts';

const RESTARTS = /^supervisor\.restarts/;

/**
 * The runs that one log holds, each as a reading of its own lines: parted where the supervisor says that it starts the
 * program again, and where the last run begins. The tail stays that of the whole log.
 */
export function runsOf(whole: LogReading, main: LogChoice['main']): readonly LogReading[] {
  const lastFrom = main === undefined || main.hits.length === whole.hits.length ? undefined : main.hits[0]?.line;
  const restarts = whole.hits.filter(({ id }) => RESTARTS.test(id)).map(({ line }) => line);
  const starts = [...new Set([...restarts, ...(lastFrom === undefined ? [] : [lastFrom])])].toSorted((a, b) => a - b);
  if (starts.length === 0) return [whole];
  const from = [0, ...starts].slice(-MOST_RUNS);
  return from.map((start, i) => {
    const end = from[i + 1] ?? Number.POSITIVE_INFINITY;
    return { ...whole, hits: whole.hits.filter(({ line }) => line >= start && line < end) };
  });
}
