import type { LogReading } from '../../model/log-reading.ts';
import { lastRun, MOST_RUNS } from '../../read/log/last-run.ts';
import { isEndOfProcess, isFailure } from '../../read/log/signs-of-work.ts';
import { unsaid } from './tail-lines.ts';

/**
 * Of a log that is still written: its last run, or the last one above that came to an end where those below did not. A run
 * that only warns, loads or serves says nothing of why it was started.
 */
export function lastThatEnded(whole: LogReading): LogReading {
  const hasEnded = ({ hits }: LogReading) =>
    hits.some(({ signature }) => isEndOfProcess(signature) || isFailure(signature));
  const last = lastRun(whole);
  let run = last;
  for (let i = 0; i < MOST_RUNS && !hasEnded(run); i++) {
    const start = startOf(run);
    const above = { ...whole, hits: whole.hits.filter(({ line }) => line < start) };
    if (above.hits.length === 0) break;
    run = lastRun(above);
  }
  return hasEnded(run) ? withOwnTail(run, whole) : last;
}

function startOf({ hits }: LogReading): number {
  return hits[0]?.line ?? 0;
}

// What stands in the tail of other runs is not what this one ended with.
function withOwnTail(run: LogReading, whole: LogReading): LogReading {
  if (run.hits.length === whole.hits.length) return run;
  const start = startOf(run);
  const end = whole.hits.find(({ line }) => line > (run.hits.at(-1)?.line ?? 0))?.line ?? Number.POSITIVE_INFINITY;
  const lines = Array.from({ length: whole.tail.split('\n').length + 1 }, (_, i) => whole.lines - i);
  return unsaid(run, new Set(lines.filter((line) => line < start || line >= end)));
}
