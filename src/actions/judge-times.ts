import type { ShortWait, TimeQuantile } from '../model/request-times.ts';

/** A figure of now and its measure: the target in ms where there is one, else the hour before times `worseBy`. */
type Against<T> = {
  readonly now: T;
  readonly before: T;
  readonly target: number | null;
  readonly worseBy: number;
  readonly hour?: Hour | undefined;
};

/** The hour that was measured against, epoch ms. `restarts`: how often an engine restarted in it. */
export type Hour = { readonly from: number; readonly to: number; readonly restarts?: number | undefined };

// The death that led to the incident may lie in its hour; an engine that restarts twice in an hour is unhealthy.
const SICK_RESTARTS = 2;

function sayHour(hour: Hour | undefined): string {
  const head = 'in the hour before the incident';
  if (hour === undefined) return head;
  const [from, to] = [hour.from, hour.to].map((at) => new Date(at).toISOString().slice(11, 16));
  const { restarts = 0 } = hour;
  const times = restarts === 1 ? 'once' : `${restarts} times`;
  const began = restarts === 0 ? '' : `, an engine restarted ${times}`;
  return `${head} (${from} to ${to} UTC${began})`;
}

// No worse than an unhealthy hour is not healthy.
function againstHour(found: Check, hour: Hour | undefined): Check {
  if (found.kind !== 'good' || (hour?.restarts ?? 0) < SICK_RESTARTS) return found;
  return { kind: 'unknown', why: `${found.says}: that hour had restarts too, so set a target to judge this` };
}

type Known<T> = Extract<T, { kind: 'known' }>;

/** A time of requests at its 99th percentile. Words as `to the first token`. */
export function judgeTime(words: string, { now, before, target, worseBy, hour }: Against<TimeQuantile>): Check {
  if (now.kind === 'unknown') return now;
  const is = `${sayTime(now)} ${words}, P99 of ${sayCount(now.requests)} since the change`;
  if (target !== null) {
    return settle(now, { mark: target, says: `${is}, target ${sayMs(target)}` });
  }
  if (before.kind === 'unknown') return notMeasured(is, before.why);
  const says = `${is}, ${sayTime(before)} ${sayHour(hour)}`;
  return againstHour(settle(now, { mark: before.ms * worseBy, says }), hour);
}

// Beyond the last bound a figure may be anything: it proves a no, never a yes.
function settle(now: Known<TimeQuantile>, { mark, says }: { mark: number; says: string }): Check {
  if (now.ms > mark) return { kind: 'bad', says };
  if (now.atLeast) return { kind: 'unknown', why: says };
  return goodUnless(now.lacks, says);
}

/** The time in the queue of short requests, of which only a span can be told. */
export function judgeShortWait({ now, before, target, worseBy, hour }: Against<ShortWait>): Check {
  if (now.kind === 'unknown') return now;
  const is = `${saySpan(now)} in the queue for short requests, P95 of ${percent(now.share)} of ${sayCount(now.requests)}`;
  if (target !== null) return settleSpan(now, { low: target, high: target, says: `${is}, target ${sayMs(target)}` });
  if (before.kind === 'unknown') return notMeasured(is, before.why);
  const says = `${is}, ${saySpan(before)} ${sayHour(hour)}`;
  const high = before.highMs === null ? Number.POSITIVE_INFINITY : before.highMs * worseBy;
  const settled = settleSpan(now, { low: high, high, says });
  // Both ends have to stay where they were: two spans that overlap prove nothing.
  const overlaps = settled.kind === 'good' && now.lowMs > before.lowMs * worseBy;
  return overlaps ? { kind: 'unknown', why: says } : againstHour(settled, hour);
}

type SpanMark = { readonly low: number; readonly high: number; readonly says: string };

function settleSpan({ lowMs, highMs, lacks }: Known<ShortWait>, { low, high, says }: SpanMark): Check {
  if (lowMs > low) return { kind: 'bad', says };
  if (highMs === null || highMs > high) return { kind: 'unknown', why: says };
  return goodUnless(lacks, says);
}

/** What is well with some pods is not known of the others. */
export function goodUnless(lacks: string | null, says: string): Check {
  return lacks === null ? { kind: 'good', says } : { kind: 'unknown', why: `${says}; no data for ${lacks}` };
}

function notMeasured(is: string, why: string): Check {
  return { kind: 'unknown', why: `${is}; no target is set and no hour before to compare: ${why}` };
}

function sayTime({ ms, atLeast }: Known<TimeQuantile>): string {
  return atLeast ? `more than ${sayMs(ms)}` : sayMs(ms);
}

function saySpan({ lowMs, highMs }: Known<ShortWait>): string {
  if (highMs === null) return `more than ${sayMs(lowMs)}`;
  const [low, high] = [sayMs(lowMs), sayMs(highMs)];
  return low === high ? low : `${high.endsWith(' ms') ? Math.round(lowMs) : low} to ${high}`;
}

function sayMs(ms: number): string {
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function sayCount(requests: number): string {
  return `${Math.round(requests)} requests`;
}

function percent(share: number): string {
  return `${Math.floor(share * 100)}%`;
}

/** A yes or no with its words, or why there is no data. */
export type Check =
  | { readonly kind: 'good'; readonly says: string }
  | { readonly kind: 'bad'; readonly says: string }
  | { readonly kind: 'unknown'; readonly why: string };
