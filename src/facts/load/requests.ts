import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { hasRole } from '../../model/signature-roles.ts';
import type { Series } from '../../model/snapshot.ts';
import { effectiveArgument, parseCount } from '../../read/engine/arguments.ts';
import { quantileOf } from '../../read/metrics/metrics-text.ts';
import { defineFacts } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit } from '../evidence/weigh.ts';
import { fact, factOf } from '../log/draft.ts';
import { METRICS } from '../log/needs.ts';
import { seriesOf, valueBefore } from '../when/series-figures.ts';
import { lastFigure, RUNNING, WAITING } from './figure-lines.ts';

/** Requests before the failure: from metrics, else from the engine's own line of figures. */
export const REQUESTS = defineFacts(
  {
    'requests.running': { unit: 'count', says: 'requests in the batch', needs: METRICS },
    'requests.waiting': { unit: 'count', says: 'requests in the queue', needs: METRICS },
    'requests.prompt-p95': {
      unit: 'tokens',
      says: 'P95 prompt length',
      needs: `${METRICS}, or the log of a gateway with input_tokens= and output_tokens=`,
    },
    'requests.offered': {
      unit: 'count',
      says: 'requests that a load generator sends at once',
      needs: 'its command line in the arguments',
    },
    'requests.stalled': {
      unit: 'yes-no',
      says: 'requests run or wait, and no token was generated for five minutes',
      needs: METRICS,
    },
    'preemptions.recent': { unit: 'count', says: 'preemptions in the window', needs: METRICS },
  },
  (evidence) => ({
    'requests.running': factOf(valueBefore(evidence, 'requests.running') ?? lastFigure(evidence, RUNNING)),
    'requests.waiting': factOf(valueBefore(evidence, 'requests.waiting') ?? lastFigure(evidence, WAITING)),
    'requests.prompt-p95': factOf(promptLength(evidence) ?? gatewayLength(evidence)),
    'requests.offered': factOf(readOffered(evidence)),
    'requests.stalled': factOf(readStalled(evidence)),
    'preemptions.recent': factOf(countedRise(evidence)) ?? printed(evidence) ?? warned(evidence),
  }),
);

// A token is whole; the quantile inside a bucket is not.
function promptLength({ metrics }: Evidence): Cited<number> | undefined {
  const length = metrics && quantileOf(metrics, 'prompt.tokens', 0.95);
  return length && { ...length, value: Math.ceil(length.value) };
}

// Of fewer a 95th percentile is their longest.
const FEWEST = 20;

// 95% of the last lines of a gateway before the failure that were kept.
function gatewayLength({ readings }: Evidence): Cited<number> | undefined {
  const lengths = readings.logs.flatMap(({ file, hits }) =>
    hits.flatMap((hit) => {
      const tokens = Number(hit.captures.input ?? Number.NaN);
      const from = { kind: 'line', file, line: hit.line, text: hit.text } as const;
      return Number.isFinite(tokens) ? [{ value: tokens, from }] : [];
    }),
  );
  if (lengths.length < FEWEST) return undefined;
  return lengths.toSorted((a, b) => a.value - b.value)[Math.ceil(lengths.length * 0.95) - 1];
}

// Load generators that come with engines or are made for them.
const GENERATOR = /(?:^|[/.])(?:bench_serving|benchmark_serving|genai-perf|guidellm|evalscope)(?:\.py)?$/;
// How many requests they keep under way at once; without one of these all are sent as they come, which is at once unless a
// rate is given (sgl-project/sglang python/sglang/bench_serving.py, vllm-project/vllm vllm/benchmarks/serve.py).
const AT_ONCE = ['--max-concurrency', '--concurrency'];
const IN_ALL = ['--num-prompts', '--num-prompt'];

function readOffered({ args, program }: Evidence): Cited<number> | undefined {
  const words = program.words.map(({ value }) => value);
  const isGenerator = words.some((word, i) => GENERATOR.test(word) || (word === 'bench' && words[i + 1] === 'serve'));
  if (!isGenerator) return undefined;
  const rate = effectiveArgument(args, '--request-rate')?.value;
  const flags = rate == null || rate === 'inf' ? [...AT_ONCE, ...IN_ALL] : AT_ONCE;
  for (const flag of flags) {
    const found = effectiveArgument(args, flag);
    const value = parseCount(found?.value ?? null);
    if (found !== undefined && value !== undefined) return { value, from: found.from };
  }
  return undefined;
}

// Longer than a step of any engine takes.
const STALLED_MS = 5 * 60_000;

// What the metrics show at their end. A series that begins later, or ends before, is of another process.
function readStalled(evidence: Evidence): Cited<boolean> | undefined {
  const to = evidence.series?.to;
  const tokens = seriesOf(evidence, 'generation.token-count');
  const busy = [...seriesOf(evidence, 'requests.running'), ...seriesOf(evidence, 'requests.waiting')];
  const first = tokens[0];
  if (to === undefined || first === undefined || busy.length === 0) return undefined;
  const since = to - STALLED_MS;
  const late = ({ points }: Series) => points.filter(([at]) => at >= since);
  const isWhole = tokens.every(({ points }) => (points[0]?.[0] ?? to) <= since && (points.at(-1)?.[0] ?? 0) > since);
  if (!isWhole) return undefined;
  const stands = tokens.every((series) => late(series).every(([, value]) => value === series.points.at(-1)?.[1]));
  const times = new Set(busy.flatMap((series) => late(series).map(([at]) => at)));
  const isBusy = [...times].every((at) => busy.some(({ points }) => points.some(([t, n]) => t === at && n > 0)));
  const [at, value] = first.points.at(-1) ?? [to, 0];
  const from = { kind: 'sample', file: 'series.json', series: first.id, at, value } as const;
  // An engine that embeds or ranks generates none, and finishes requests all the same.
  const finished = seriesOf(evidence, 'requests.success').map(late);
  const finishes = finished.some((points) => points.at(-1)?.[1] !== points[0]?.[1]);
  return { value: times.size > 1 && value > 0 && stands && isBusy && !finishes, from };
}

function countedRise(evidence: Evidence): Cited<number> | undefined {
  const [series] = seriesOf(evidence, 'preemptions');
  const [first, last] = [series?.points[0], series?.points.at(-1)];
  if (series === undefined || first === undefined || last === undefined) return undefined;
  const from = { kind: 'sample', file: 'series.json', series: series.id, at: last[0], value: last[1] } as const;
  return { value: Math.max(0, last[1] - first[1]), from };
}

// vLLM's line of figures names them only where there were any (vllm/v1/metrics/loggers.py).
function printed({ weighing }: Evidence): Fact | undefined {
  const last = weighing.all.findLast(({ hit }) => Number(hit.captures.preemptions) > 0);
  return last && fact(Number(last.hit.captures.preemptions), [citeHit(last)]);
}

function warned({ weighing }: Evidence): Fact | undefined {
  const lines = weighing.all.filter(({ signature }) => hasRole(signature, 'preempted'));
  return fact(lines.length > 0 ? lines.length : undefined, lines.map(citeHit));
}
