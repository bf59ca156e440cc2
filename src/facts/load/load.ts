import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import type { MetricId } from '../../model/metric-table.ts';
import { effectiveArgument, parseCount } from '../../read/engine/arguments.ts';
import { quantileOf } from '../../read/metrics/metrics-text.ts';
import { computed, fact, factOf, type Group, ratio } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit, lineOfFailure, type Weighed } from '../evidence/weigh.ts';
import { sizeBefore, valueBefore } from '../when/series-figures.ts';
import { readUsedOfPool } from './kv-use.ts';
import { readOffered } from './offered.ts';
import { readPreemptions } from './preemptions.ts';
import { deriveStep, gatewayLength } from './step.ts';

/** Load and the prefix cache: from metrics, else from the engine's own line of figures before the failure. */
export function deriveLoad(evidence: Evidence): Group {
  const running = valueBefore(evidence, 'requests.running') ?? logged(evidence, RUNNING);
  const waiting = valueBefore(evidence, 'requests.waiting') ?? logged(evidence, WAITING);
  const p95 = lengthOf(evidence, 'prompt.tokens', 0.95) ?? gatewayLength(evidence, 'input');
  return {
    'kv-cache.used-share':
      factOf(valueBefore(evidence, 'kv-cache.used-share') ?? logged(evidence, KV_SHARE)) ?? readUsedOfPool(evidence),
    'requests.running': factOf(running),
    'requests.waiting': factOf(waiting),
    'preemptions.recent': readPreemptions(evidence),
    'prefix-cache.blocks-held':
      captured(evidence, 'vllmrs.prefix.miss', 'cached', (n) => n > 0) ?? heldByCache(evidence),
    'kv-cache.block-tokens':
      captured(evidence, 'vllm.num.hybrid-block', 'tokens', (n) => n) ??
      factOf(sizeBefore(evidence, 'kv-cache.block-tokens')),
    'kv-cache.slots-per-want': slotsPerWant(evidence),
    'requests.offered': factOf(readOffered(evidence)),
    'requests.prompt-p95': factOf(p95),
    ...deriveStep(evidence),
  };
}

// As people tell it, on machines whose one memory is the device's as well.

// A token is whole; the quantile inside a bucket is not.
function lengthOf({ metrics }: Evidence, id: MetricId, q: number): Cited<number> | undefined {
  const length = metrics && quantileOf(metrics, id, q);
  return length && { ...length, value: Math.ceil(length.value) };
}

/** `plus`: what stands elsewhere in the line and belongs to it. */
type Figure = { readonly pattern: RegExp; readonly factor: number; readonly plus?: RegExp };

// Lines of figures that engines print: vLLM V0 and V1 (loggers.py, metrics.py), SGLang (scheduler metrics), vllm.rs.
// Who is being prefilled is not among the running ones of SGLang's line (scheduler_metrics_mixin.py, log_prefill_stats).
const RUNNING: Figure = {
  pattern: /Running: (\d+) reqs|#running-req: (\d+)|\(num_running_reqs=(\d+)/,
  factor: 1,
  plus: /#new-seq: (\d+)/,
};
const WAITING: Figure = {
  pattern: /(?:Waiting|Pending): (\d+) reqs|#queue-req: (\d+)| num_waiting_reqs=(\d+)/,
  factor: 1,
};
const KV_PERCENT: Figure = {
  pattern: /GPU KV cache usage: ([\d.]+)%|Kvcache: [^,]{0,60}, used ([\d.]+)%/,
  factor: 0.01,
};
const KV_SHARE: readonly Figure[] = [
  KV_PERCENT,
  { pattern: /token usage: ([\d.]+)| (?:gpu|kv)_cache_usage=([\d.]+(?:e-\d+)?)/, factor: 1 },
];

/** The last line of figures before the failure: later ones tell of an engine that is already dying. */
function logged(evidence: Evidence, figures: Figure | readonly Figure[]): Cited<number> | undefined {
  const failed = lineOfFailure(evidence.weighing, evidence.log.main) ?? Number.POSITIVE_INFINITY;
  const before = evidence.weighing.all.filter(({ hit }) => hit.line <= failed);
  for (const weighed of before.toReversed()) {
    for (const { pattern, factor, plus } of [figures].flat()) {
      const match = pattern.exec(weighed.hit.clean);
      const digits = match?.slice(1).find((group) => group !== undefined);
      const more = Number(plus?.exec(weighed.hit.clean)?.[1] ?? 0);
      if (digits !== undefined) return { value: round(Number(digits) * factor) + more, from: citeHit(weighed) };
    }
  }
  return undefined;
}

// 97.5 % times 0.01 has dust behind the comma.
function round(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

function captured(
  { weighing }: Evidence,
  id: string,
  name: string,
  make: (value: number) => number | boolean,
): Fact | undefined {
  const of: Weighed | undefined = weighing.all.findLast(({ phrase }) => phrase.id === id);
  const value = Number(of?.hit.captures[name] ?? Number.NaN);
  return of !== undefined && Number.isFinite(value) ? fact(make(value), [citeHit(of)]) : undefined;
}

// SGLang prints what was wanted and what is there on the lines after its refusal.
function numberOf({ weighing }: Evidence, id: string, name: string): Cited<number> | undefined {
  const of = weighing.all.find(({ phrase, hit }) => phrase.id === id && hit.captures[name] !== undefined);
  return of && { value: Number(of.hit.captures[name]), from: citeHit(of) };
}

function slotsPerWant(evidence: Evidence): Fact | undefined {
  const available = numberOf(evidence, 'sglang.run.pool-available', 'available');
  return computed([available, wantedSlots(evidence, available)], ratio);
}

// A running request that has filled its page needs a whole one for its next token (SGLang mem_cache/common.py,
// alloc_paged_token_slots_decode); where all could have had theirs, pages are not what was short.
function wantedSlots(evidence: Evidence, available: Cited<number> | undefined): Cited<number> | undefined {
  const want = numberOf(evidence, 'sglang.run.pool-numbers', 'want');
  const decodes = evidence.weighing.all.some(
    ({ phrase, hit }) => phrase.id === 'sglang.run.pool-exhausted' && hit.captures.stage === 'Decode',
  );
  const page = decodes ? parseCount(effectiveArgument(evidence.args, '--page-size')?.value ?? null) : undefined;
  if (want === undefined || available === undefined || page === undefined) return want;
  return want.value * page > available.value ? { ...want, value: want.value * page } : want;
}

// What is free does not suffice, what the cache could give back would, and it was not given back.
function heldByCache(evidence: Evidence): Fact | undefined {
  const want = numberOf(evidence, 'sglang.run.pool-numbers', 'want');
  const free = numberOf(evidence, 'sglang.run.pool-available', 'free');
  const evictable = numberOf(evidence, 'sglang.run.pool-available', 'evictable');
  if (want === undefined || free === undefined || evictable === undefined) return undefined;
  return fact(free.value < want.value && evictable.value >= want.value, [want.from, evictable.from]);
}
