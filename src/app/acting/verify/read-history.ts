import {
  boundsOfPart,
  countOf,
  countUpTo,
  type Histogram,
  increaseOf,
  type Quantile,
  quantileOf,
} from '../../../actions/histogram.ts';
import type { Reading } from '../../../actions/verify-checks.ts';
import type { RequestTimes, ShortWait, TimeQuantile } from '../../../model/request-times.ts';
import type { EngineHistory, HistoryCount, HistoryId, HistoryRead, WorkloadPod } from '../../acting-ports.ts';
import type { ReadContext } from '../../ports.ts';

/** Whose past is read, and of when (epoch ms). `mustLast`: what is no longer counted at the end is not known. */
export type PastAsk = {
  readonly cluster: string;
  readonly namespace: string;
  readonly pods: readonly Pick<WorkloadPod, 'name' | 'ip' | 'ports' | 'createdAt' | 'startedAt'>[];
  readonly from: number;
  readonly to: number;
  readonly mustLast: boolean;
  /** Prompts of at most so many tokens are short. */
  readonly shortTokens: number;
};

type Span = Omit<PastAsk, 'shortTokens'>;

/** `restarts`: engine restarts of the pod with the most; null if unknown. */
export type Past = { readonly times: RequestTimes; readonly preemptions: Reading; readonly restarts: number | null };

// Fewer make no 99th percentile.
const LEAST_REQUESTS = 20;
const P99 = 0.99;
// Of short requests the 95th: their share makes the span of a 99th too wide to say anything.
const P95 = 0.95;

/** What the engines of some pods have counted over a span of time, as figures. */
export async function readPast(source: EngineHistory | undefined, ask: PastAsk, context: ReadContext): Promise<Past> {
  if (source === undefined) return nothingKnown('no metrics configured for this cluster');
  if (ask.pods.length === 0) return nothingKnown('no pods');
  const history = await source.read(ask, context);
  const grown = (id: HistoryId) => growthOf(history[id], ask);
  const [queue, prompts] = [grown('queue.time'), grown('prompt.tokens')];
  return {
    times: {
      ttftP99: quantile(grown('ttft')),
      latencyP99: quantile(grown('e2e.latency')),
      shortWait: shortWait(queue, prompts, ask.shortTokens),
    },
    preemptions: preemptionsOf(grown('preemptions')),
    restarts: restartsIn([history['e2e.latency'], history.ttft, history.preemptions]),
  };
}

/** No data at all, for one reason. */
export function nothingKnown(why: string): Past {
  const unknown = { kind: 'unknown', why } as const;
  return { times: { ttftP99: unknown, latencyP99: unknown, shortWait: unknown }, preemptions: unknown, restarts: null };
}

/** What was counted in a span; `lacks` names pods without data. */
type Growth =
  | { readonly kind: 'known'; readonly counted: Histogram; readonly lacks: string | null }
  | { readonly kind: 'unknown'; readonly why: string };

/** The increase of one metric over the span that was asked for. */
export function growthOf(read: HistoryRead, ask: Span): Growth {
  if (read.kind === 'unknown') return read;
  const usable = read.counts.filter((count) => isUsable(count, ask));
  const told = new Set(usable.map(({ pod }) => pod));
  const silent = ask.pods.filter(({ name }) => !told.has(name)).map(({ name }) => name);
  if (usable.length === 0) return { kind: 'unknown', why: whyNone(read.counts, ask) };
  const born = new Set(ask.pods.filter((pod) => isBorn(pod, ask.from)).map(({ name }) => name));
  const podOf = new Map(usable.map(({ source, pod }) => [source, pod]));
  const counted = increaseOf(usable, { from: ask.from, isBorn: (source) => born.has(podOf.get(source) ?? '') });
  return { kind: 'known', counted, lacks: silent.length === 0 ? null : silent.join(', ') };
}

// The API server gives times in whole seconds.
const SECOND_MS = 1000;

function isBorn({ createdAt, startedAt }: PastAsk['pods'][number], from: number): boolean {
  return Math.max(createdAt, startedAt ?? 0) >= from - SECOND_MS;
}

// One point of an older process shows no increase.
function isUsable({ pod, points }: HistoryCount, ask: Span): boolean {
  const place = ask.pods.find(({ name }) => name === pod);
  if (place === undefined || points.length === 0 || (ask.mustLast && !lasts(points, ask.to))) return false;
  return points.length > 1 || isBorn(place, ask.from);
}

const LATE_MS = 60_000;

function lasts(points: HistoryCount['points'], to: number): boolean {
  return (points.at(-1)?.[0] ?? 0) >= to - LATE_MS;
}

function whyNone(counts: readonly HistoryCount[], { to, mustLast }: Span): string {
  const last = Math.max(...counts.map(({ points }) => points.at(-1)?.[0] ?? 0));
  if (mustLast && last < to - LATE_MS) {
    return `its last sample is ${Math.round((to - last) / 60_000)} min old`;
  }
  return 'only one sample, so no increase can be computed';
}

// By the first metric with data: all counts of a process fall together.
function restartsIn(reads: readonly HistoryRead[]): number | null {
  const read = reads.find(({ kind }) => kind === 'read');
  if (read?.kind !== 'read') return null;
  const totals = read.counts.filter(({ le }) => le === Number.POSITIVE_INFINITY);
  const pods = Map.groupBy(totals, ({ pod }) => pod);
  return Math.max(0, ...[...pods.values()].map(restartsOfPod));
}

// A count that falls, or a process that came after the first one of its pod.
function restartsOfPod(counts: readonly HistoryCount[]): number {
  const falls = counts.map(({ points }) => points.filter(([, n], i) => n < (points[i - 1]?.[1] ?? 0)).length);
  const begins = new Set(counts.flatMap(({ points }) => points[0]?.[0] ?? []));
  return Math.max(0, ...falls) + Math.max(0, begins.size - 1);
}

function quantile(growth: Growth): TimeQuantile {
  if (growth.kind === 'unknown') return growth;
  const requests = countOf(growth.counted);
  const why = tooFew(requests);
  if (why !== undefined) return { kind: 'unknown', why };
  const found = quantileOf(growth.counted, P99);
  if (found.kind === 'empty') return { kind: 'unknown', why: 'no finished requests' };
  return { kind: 'known', ms: found.value * 1000, atLeast: found.atLeast, requests, lacks: growth.lacks };
}

function tooFew(requests: number): string | undefined {
  if (requests < 1) return 'no finished requests in that time';
  return requests < LEAST_REQUESTS ? `${Math.round(requests)} finished requests, too few for a percentile` : undefined;
}

// No engine counts the queue by length: how many were short bounds how long these can have waited.
function shortWait(queue: Growth, prompts: Growth, shortTokens: number): ShortWait {
  if (queue.kind === 'unknown') return { kind: 'unknown', why: `queue time: ${queue.why}` };
  if (prompts.kind === 'unknown') return { kind: 'unknown', why: `prompt lengths: ${prompts.why}` };
  const requests = countOf(queue.counted);
  const why = tooFew(Math.min(requests, countOf(prompts.counted)));
  if (why !== undefined) return { kind: 'unknown', why };
  const share = countUpTo(prompts.counted, shortTokens) / countOf(prompts.counted);
  if (share === 0) return { kind: 'unknown', why: `no prompts of ${shortTokens} tokens or fewer` };
  const { low, high } = boundsOfPart(queue.counted, { share, q: P95 });
  return {
    kind: 'known',
    lowMs: msOf(low) ?? 0,
    highMs: high.kind === 'known' && high.atLeast ? null : msOf(high),
    share,
    requests,
    lacks: queue.lacks ?? prompts.lacks,
  };
}

function msOf(found: Quantile): number | null {
  return found.kind === 'known' ? found.value * 1000 : null;
}

function preemptionsOf(growth: Growth): Reading {
  if (growth.kind === 'unknown') return growth;
  const value = countOf(growth.counted);
  // A positive count is certain; zero is certain only if all pods have data.
  if (value > 0 || growth.lacks === null) return { kind: 'known', value };
  return { kind: 'unknown', why: `none in the others, no data for ${growth.lacks}` };
}
