import type { Citation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { type MetricId, seriesOf } from '../../model/metric-table.ts';
import { hasRole, type Role } from '../../model/signature-roles.ts';
import { effectiveArgument, parseCount, parseSwitch } from '../../read/engine/arguments.ts';
import { currentValues } from '../../read/metrics/metrics-text.ts';
import { settingsInForce } from '../engine/settings.ts';
import { defineFacts } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit } from '../evidence/weigh.ts';
import { computed, fact, factOf, ratio, uniqueProof } from '../log/draft.ts';
import { ARGS, LOG, METRICS } from '../log/needs.ts';
import { samplesBefore, sizeBefore, valueBefore } from '../when/series-figures.ts';
import { KV_SHARE, lastFigure } from './figure-lines.ts';

/** The KV pool and the prefix cache in it. */
export const KV_CACHE = defineFacts(
  {
    'kv-cache.used-share': { unit: 'share', says: 'KV pool in use', needs: METRICS },
    'kv-cache.refused': {
      unit: 'yes-no',
      says: 'the KV pool had no space for a request while serving; no allocation failed',
      needs: LOG,
    },
    'kv-cache.block-tokens': {
      unit: 'tokens',
      says: 'tokens per block of the KV pool (a hybrid model makes blocks large)',
      needs: 'the start of the log, or the metrics of the engine',
    },
    'kv-cache.slots-per-want': {
      unit: 'ratio',
      says: 'free slots of the pool against those refused (far above 1, its accounting is wrong)',
      needs: 'the lines after the refusal in the log',
    },
    'prefix-cache.enabled': {
      unit: 'yes-no',
      says: 'prefix caching is on',
      saysNot: 'prefix caching is off',
      needs: ARGS,
    },
    'prefix-cache.blocks-held': {
      unit: 'yes-no',
      says: 'the prefix cache keeps blocks although a request needs memory',
      needs:
        'the use of the KV pool with running and waiting requests (lines of the log before the failure, or metrics)',
    },
  },
  (evidence) => {
    const { decisive } = evidence.weighing;
    const used = valueBefore(evidence, 'kv-cache.used-share') ?? lastFigure(evidence, KV_SHARE);
    const blocks = captured(evidence, 'blockTokens') ?? sizeBefore(evidence, 'kv-cache.block-tokens');
    const cached = captured(evidence, 'cachedBlocks');
    const inForce = settingsInForce(evidence);
    return {
      'kv-cache.used-share': factOf(used) ?? usedOfPool(evidence),
      'kv-cache.refused': decisive && fact(hasRole(decisive.signature, 'pool-refuses'), [citeHit(decisive)]),
      'kv-cache.block-tokens': factOf(blocks),
      'kv-cache.slots-per-want': slotsPerWant(evidence),
      'prefix-cache.enabled':
        inForce({ flags: ['--enable-prefix-caching', 'PREFIX_CACHING'], parse: parseSwitch }) ??
        inForce({ flags: ['--disable-radix-cache'], parse: parseOff }),
      'prefix-cache.blocks-held': cached ? fact(cached.value > 0, [cached.from]) : heldByCache(evidence),
    };
  },
);

function parseOff(text: string | null): boolean | undefined {
  const off = parseSwitch(text);
  return off === undefined ? undefined : !off;
}

function captured({ weighing }: Evidence, name: string): Cited<number> | undefined {
  const of = weighing.all.findLast(({ hit }) => hit.captures[name] !== undefined);
  const value = Number(of?.hit.captures[name] ?? Number.NaN);
  return of !== undefined && Number.isFinite(value) ? { value, from: citeHit(of) } : undefined;
}

// SGLang prints what was wanted and what is there on the lines after its refusal.
function numberOf({ weighing }: Evidence, role: Role, name: string): Cited<number> | undefined {
  const of = weighing.all.find(({ signature, hit }) => hasRole(signature, role) && hit.captures[name] !== undefined);
  return of && { value: Number(of.hit.captures[name]), from: citeHit(of) };
}

function slotsPerWant(evidence: Evidence): Fact | undefined {
  const available = numberOf(evidence, 'pool-state', 'available');
  return computed([available, wantedSlots(evidence, available)], ratio);
}

// A running request that has filled its page needs a whole one for its next token (SGLang mem_cache/common.py,
// alloc_paged_token_slots_decode); where all could have had theirs, pages are not what was short.
function wantedSlots(evidence: Evidence, available: Cited<number> | undefined): Cited<number> | undefined {
  const want = numberOf(evidence, 'pool-want', 'want');
  const decodes = evidence.weighing.all.some(({ hit }) => hit.captures.stage === 'Decode');
  const page = decodes ? parseCount(effectiveArgument(evidence.args, '--page-size')?.value ?? null) : undefined;
  if (want === undefined || available === undefined || page === undefined) return want;
  return want.value * page > available.value ? { ...want, value: want.value * page } : want;
}

// What is free is not enough, what the cache could release would be, and it was not released.
function heldByCache(evidence: Evidence): Fact | undefined {
  const want = numberOf(evidence, 'pool-want', 'want');
  const free = numberOf(evidence, 'pool-state', 'free');
  const evictable = numberOf(evidence, 'pool-state', 'evictable');
  if (want === undefined || free === undefined || evictable === undefined) return undefined;
  return fact(free.value < want.value && evictable.value >= want.value, [want.from, evictable.from]);
}

const PAIRS = [
  ['kv-cache.used-tokens', 'kv-cache.capacity-tokens'],
  ['kv-cache.used-blocks', 'kv-cache.capacity-blocks'],
] as const satisfies readonly (readonly [MetricId, MetricId])[];

// Where an engine shows what is used and what there is, and not the share: of several pools the fullest.
function usedOfPool(evidence: Evidence): Fact | undefined {
  const shares = PAIRS.flatMap(([used, capacity]) => sharesOf(evidence, used, capacity));
  const fullest = shares.toSorted((a, b) => b.share - a.share)[0];
  return fullest && fact(fullest.share, uniqueProof(fullest.from));
}

type Share = { readonly share: number; readonly from: readonly Citation[] };
type Value = { readonly value: number; readonly from: Citation; readonly labels: Readonly<Record<string, string>> };

function sharesOf(evidence: Evidence, used: MetricId, capacity: MetricId): readonly Share[] {
  const ofPool = new Map(valuesOf(evidence, capacity).map((value) => [ownerOf(capacity, value), value]));
  // TGI before 2.4 shows what is used alone, and logs what there is.
  const logged = capacity === 'kv-cache.capacity-tokens' ? evidence.engine.figures.kvTokens : undefined;
  return valuesOf(evidence, used).flatMap((value) => {
    const pool = ofPool.get(ownerOf(used, value)) ?? logged;
    return pool === undefined || pool.value <= 0
      ? []
      : [{ share: value.value / pool.value, from: [value.from, pool.from] }];
  });
}

function valuesOf(evidence: Evidence, id: MetricId): readonly Value[] {
  const samples = samplesBefore(evidence, id);
  if (samples.length > 0) return samples;
  return evidence.metrics === undefined ? [] : currentValues(evidence.metrics, id);
}

// Whose pool it is: all labels but those that tell which of its figures.
function ownerOf(id: MetricId, { labels }: Value): string {
  const telling = new Set(seriesOf(id).flatMap(({ where }) => Object.keys(where)));
  return JSON.stringify(
    Object.entries(labels)
      .filter(([label]) => !telling.has(label))
      .sort(),
  );
}
