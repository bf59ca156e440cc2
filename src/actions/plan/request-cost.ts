import type { Edit } from '../../model/verdict.ts';
import { countOf, type Histogram } from '../histogram.ts';

/** What a limit does to what was counted: exactly, or between two bounds of a bucket. Shares 0 to 1. */
type ShareAbove = { readonly low: number; readonly high: number; readonly estimate: number | null };

/** Which share lies above a length. Inside a bucket only its bounds are certain; the estimate is linear between them, and none beyond the last. */
export function shareAbove(histogram: Histogram, length: number): ShareAbove | undefined {
  const total = countOf(histogram);
  if (total <= 0) return undefined;
  const [lower, below] = histogram.findLast(([le]) => le <= length) ?? [0, 0];
  const [upper, upTo] = histogram.find(([le]) => le >= length) ?? [Number.POSITIVE_INFINITY, total];
  const within = upper === lower ? 0 : (length - lower) / (upper - lower);
  const share = (count: number): number => Math.min(1, Math.max(0, (total - count) / total));
  return {
    low: share(upTo),
    high: share(below),
    estimate: Number.isFinite(upper) ? share(below + (upTo - below) * within) : null,
  };
}

/** What was read of the last hour; `why` where it was not. */
export type Prompts =
  | { readonly kind: 'known'; readonly counted: Histogram; readonly lacks: string | null }
  | { readonly kind: 'unknown'; readonly why: string };

/** Requests in flight in one engine, sample by sample; `why` where there are none. */
export type InFlight =
  | { readonly kind: 'known'; readonly counts: readonly number[]; readonly span: string }
  | { readonly kind: 'unknown'; readonly why: string };

type RequestLimits = {
  /** The flags of this engine that bound length and concurrency. */
  readonly length: string | undefined;
  readonly sequences: string | undefined;
  /** What happens to a request over the length, after `will`. */
  readonly tooLong: string;
  /** What is above the concurrency waits, or gets a 429. */
  readonly excess: 'waits' | 'is refused';
};

type Seen = { readonly prompts: Prompts; readonly inFlight: InFlight };

/** What new limits would refuse or queue of the last hour's requests, in sentences; null where no such limit changes. */
export function sayRequests(edits: readonly Edit[], limits: RequestLimits, seen: Seen): string | null {
  const said = edits.flatMap(({ flag, from, to }) => {
    const [before, after] = [numberOf(from), numberOf(to)];
    if (after === undefined || (flag !== limits.length && flag !== limits.sequences)) return [];
    if (before !== undefined && after >= before) return [`No requests will be refused: ${flag} goes up.`];
    return [
      flag === limits.length ? sayLength(after, limits, seen.prompts) : sayConcurrency(after, limits, seen.inFlight),
    ];
  });
  return said.length === 0 ? null : said.join(' ');
}

function sayLength(length: number, { tooLong }: RequestLimits, prompts: Prompts): string {
  const head = `Requests over ${length.toLocaleString('en-US')} tokens will ${tooLong}`;
  if (prompts.kind === 'unknown') return `${head}; share unknown: ${prompts.why}.`;
  const share = shareAbove(prompts.counted, length);
  if (share === undefined) return `${head}; share unknown: no request ended in the last hour.`;
  const only = prompts.lacks === null ? '' : `, without ${prompts.lacks}`;
  const counted = Math.round(countOf(prompts.counted)).toLocaleString('en-US');
  return `${head}: ${sayShare(share)} of the last hour's ${counted} prompts${only}. Output tokens count too.`;
}

function sayShare({ low, high, estimate }: ShareAbove): string {
  if (percent(low) === percent(high)) return `${percent(low)}%`;
  const about = estimate === null ? '' : ` (about ${percent(estimate)}%)`;
  return `${percent(low)}% to ${percent(high)}%${about}`;
}

function sayConcurrency(most: number, { excess }: RequestLimits, inFlight: InFlight): string {
  const head = `Traffic above ${most} concurrent requests ${excess}`;
  if (inFlight.kind === 'unknown') return `${head}; share unknown: ${inFlight.why}.`;
  const all = inFlight.counts.reduce((sum, count) => sum + count, 0);
  const above = inFlight.counts.reduce((sum, count) => sum + Math.max(0, count - most), 0);
  const peak = Math.max(0, ...inFlight.counts);
  if (above === 0) return `${head}: none ${inFlight.span} (peak ${peak}).`;
  return `${head}: ${percent(above / all)}% of requests in flight ${inFlight.span} (peak ${peak}).`;
}

// Some are never none, nor all but some all.
function percent(share: number): number {
  const rounded = Math.round(share * 1000) / 10;
  if (share > 0 && rounded === 0) return 0.1;
  return share < 1 && rounded === 100 ? 99.9 : rounded;
}

// `8k` is 8000 and `8K` 8192 to vLLM.
function numberOf(text: string | null): number | undefined {
  const [, digits, unit] = /^\s*(\d+(?:\.\d+)?)\s*([kK]?)\s*$/.exec(text ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits) * (unit === 'k' ? 1000 : unit === 'K' ? 1024 : 1);
}
