import { anyOf } from '../../text/patterns.ts';

// Programs that look for what a process keeps (Python tracemalloc, memray, heaptrack, jemalloc's jeprof, valgrind, objgraph), and what they found.
const KEEPS =
  /\b(?:tracemalloc|memray|heaptrack|jeprof|jemalloc profile|heap profil\w*|massif|valgrind|objgraph\S*|gc\.get_objects\S*|live objects|pympler|guppy|scalene)\b[^\n]{0,120}(?:\b(?:not (?:freed|released)|never (?:freed|released)|still (?:live|allocated|alive|reachable)|leak(?:s|ed)?|growth|grows|definitely lost|live bytes|of live|retained|never fewer)\b|\+\d|\d[^\n]{0,16}\b(?:now|later|after)\b)/i;
const DIFFERENCE = /\bsize=[\d.]+ [KMG]iB \(\+[\d.]+ [MG]iB\), count=\d/;
// Another allocator, or fewer arenas, helps against what glibc keeps.
const ALLOCATOR =
  /\b(?:LD_PRELOAD|jemalloc|tcmalloc|MALLOC_ARENA_MAX|malloc_trim|MALLOC_TRIM_THRESHOLD_)\b[^\n]{0,60}\b(?:flat|helps?|helped|slow(?:s|er|ed)|goes away|gone|constant|stable|stays|cures?|solve[sd]?|level)\b/i;
// What is kept of requests that are over.
const KEPT_REQUESTS =
  /\b(?:every|each|aborted|finished|completed) (?:\w+ )?requests? (?:stays?|remains?|is kept|are kept|is never removed)\b(?! (?:in|on) (?:the )?(?:queue|Postgres\w*|database|DB|redis|kafka|log|disk))|\bcount\b[^\n]{0,20}\bfollows\b/i;
// Blocks of the device that nothing gives back, as PyTorch's snapshot lists them.
const SNAPSHOT =
  /\b(?:allocator|memory) snapshot\b[^\n]{0,120}\b(?:none freed|never freed|not freed|live, not cached|still live)\b/i;

// Rules over Prometheus: a slope that lasts (`deriv`, `predict_linear`).
const FORECAST = anyOf(
  'i',
  /\bpredict[ _]?linear\b(?![^\n]*\b(?:disk|filesystem|volume|PVC)\b)/,
  /\b(?:exhaust|run out of) (?:its )?memory in \d/,
  /\bderiv\([^\n=]{0,160}(?:memory|rss)[^\n=]{0,160}(?:\[[^\]]{1,8}\])?\)\s*=\s*[\d.]{2,}/,
);

/** Where a line tells what a program that looks for leaks has found, or that another allocator helped. */
export function findingIn(text: string): { readonly at: number; readonly memory: 'gpu' | 'host' } | undefined {
  const ofDevice = SNAPSHOT.exec(text);
  if (ofDevice !== null) return { at: ofDevice.index, memory: 'gpu' };
  const found =
    KEEPS.exec(text) ??
    DIFFERENCE.exec(text) ??
    ALLOCATOR.exec(text) ??
    KEPT_REQUESTS.exec(text) ??
    FORECAST.exec(text);
  return found === null ? undefined : { at: found.index, memory: 'host' };
}
