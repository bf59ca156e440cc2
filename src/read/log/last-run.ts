import type { Hit, LogReading } from '../../model/log-reading.ts';

/** Printed once by the main process of a server, before anything else that it says. */
const SERVER_START: ReadonlySet<string> = new Set([
  'vllm.cfg.version',
  'vllm.cfg.version-new',
  'vllm.cfg.version-logo',
  'sglang.cfg.server-args',
]);
/** Printed by each engine process: a new run only where the run before it came to an end. */
const ENGINE_START: ReadonlySet<string> = new Set(['vllm.cfg.engine-config']);
/** So many runs of one log are looked at, from its end: a crash loop writes hundreds. */
export const MOST_RUNS = 8;

/** Signs that a run was over, or had got so far that an engine can only be starting again. */
const RUN_END =
  /^(?:vllm\.die\.|phase\.(?:\w+-ready|uvicorn-ready|vllm-shutdown|http-served)$|torch\.oom\.|vllm\.start\.(?!frame))/;

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

function lastStart(hits: readonly Hit[]): number | undefined {
  const server = hits.findLast((hit) => SERVER_START.has(hit.id));
  if (server !== undefined) return server.line;
  let start: number | undefined;
  let ended = false;
  for (const hit of hits) {
    if (ENGINE_START.has(hit.id) && (start === undefined || ended)) {
      start = hit.line;
      ended = false;
    } else if (RUN_END.test(hit.id)) ended = true;
  }
  return start;
}
