import type { Hit, LogReading } from '../../model/log-reading.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { isWeighty, tellsOfDeath } from './signs-of-work.ts';

/** So many runs of one log are looked at, from its end: a crash loop writes hundreds. */
export const MOST_RUNS = 8;

/**
 * The reading cut to the last run of the engine: hits from its start banner on. A log holds several runs where something
 * inside the container restarts the engine. Counts, times and tail stay those of the whole log.
 */
export function lastRun(reading: LogReading): LogReading {
  const start = lastStart(reading.hits);
  if (start === undefined) return reading;
  const hits = reading.hits.filter((hit) => hit.line >= start);
  return hits.length === reading.hits.length ? reading : { ...reading, hits };
}

// The main process says it once. An engine process says that it starts as well: that is a new run only where the run before
// it came to an end.
function lastStart(hits: readonly Hit[]): number | undefined {
  const server = hits.findLast(({ signature }) => hasRole(signature, 'server-start'));
  if (server !== undefined) return server.line;
  let start: number | undefined;
  let ended = false;
  for (const hit of hits) {
    if (hasRole(hit.signature, 'engine-start') && (start === undefined || ended)) {
      start = hit.line;
      ended = false;
    } else if (isRunEnd(hit)) ended = true;
  }
  return start;
}

// Signs that a run was over, or had got so far that an engine can only be starting again.
function isRunEnd({ signature }: Hit): boolean {
  const { plane } = signature;
  const isOver = (['up', 'answered', 'stops'] as const).some((role) => hasRole(signature, role));
  return isOver || tellsOfDeath(signature) || ((plane === 'gpu' || plane === 'host') && isWeighty(signature));
}
