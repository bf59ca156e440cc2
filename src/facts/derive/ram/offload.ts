import type { Citation } from '../../../model/citation.ts';
import type { Cited, EngineArgument } from '../../../model/engine-reader.ts';
import type { Fact } from '../../../model/fact.ts';
import { GIB, MIB, parseSize } from '../../../model/quantity.ts';
import { effectiveArgument, parseSwitch } from '../../arguments.ts';
import { unknown } from '../../pod/finding.ts';
import { fact } from '../draft.ts';
import { readIdentity } from '../engine/engine-identity.ts';
import type { Evidence } from '../evidence.ts';
import { notedField } from '../noted-field.ts';
import { variablesOf } from '../variables.ts';
import { lastLine } from '../weigh/tail-lines.ts';
import { citeHit, type Weighed } from '../weigh/weigh.ts';
import { readToldOffload } from './offload-text.ts';
import { readPromptCache } from './prompt-cache.ts';

export type Offload = {
  readonly configured: Fact | undefined;
  /** Whether all of it is taken once and does not grow: weights, and the swap space that V0 of vLLM pins. */
  readonly static: Fact | undefined;
  readonly bytes: Cited<number> | undefined;
};

// Flags in GiB. `perRank`: each rank takes as much (vLLM vllm/engine/arg_utils.py, SGLang server_args.py, LMCache config.py).
const WEIGHTS = { flag: '--cpu-offload-gb', perRank: true };
const CACHES: readonly (typeof WEIGHTS)[] = [
  { flag: '--kv-offloading-size', perRank: false },
  { flag: '--hicache-size', perRank: true },
  // Each worker makes a pool of its own, pinned, of this many GiB (lmcache/v1/storage_backend/local_cpu_backend.py, 0.5.6).
  { flag: 'LMCACHE_MAX_LOCAL_CPU_SIZE', perRank: true },
  // vllm-project/aibrix python/aibrix_kvcache/aibrix_kvcache/envs.py: each rank connects a cache of its own.
  { flag: 'AIBRIX_KV_CACHE_OL_L1_CACHE_CAPACITY_GB', perRank: true },
];

const SWAP = { flag: '--swap-space', perRank: true };

const CACHE_SWITCHES = ['--enable-hierarchical-cache', '--enable-lmcache'];
const WEIGHT_SWITCHES = ['--enable-sleep-mode', '--vllm-enable-sleep', '--cpu-moe'];

// A process whose only work is to keep KV blocks in RAM for others.
const CACHE_SERVER =
  /\blm-?cache[ _.-]?(?:v1[._]|experimental[._])?(?:cache[ _-]?)?server\b|\bmooncake[ _-](?:master|store)\b/i;

/** Whether weights, KV blocks or prompt caches are kept in host memory, whether that grows, and how much they may take. */
export function readOffload(evidence: Evidence): Offload {
  const args = [...variablesOf(evidence), ...evidence.args];
  const told = readToldOffload(evidence);
  const weights = sizeOf(args, WEIGHTS);
  const caches = CACHES.flatMap((one) => sizeOf(args, one));
  const swap = readSwap(evidence);
  const swapped = swap.taken ? swap.sizes : [];
  const logged = fromLog(evidence);
  const kept = readKeptWeights(evidence);
  const fixed = [
    ...[...weights, ...swapped, ...listed(kept)].map(({ from }) => from),
    ...switchedOn(evidence, WEIGHT_SWITCHES),
    ...told.flatMap((one) => (one.static ? [one.from] : [])),
  ];
  const growing = [
    ...[...caches, ...logged].map(({ from }) => from),
    ...switchedOn(evidence, CACHE_SWITCHES),
    ...told.flatMap((one) => (one.static ? [] : [one.from])),
    ...cacheServer(evidence),
  ];
  const proof = [...fixed, ...growing];
  const open = swap.taken === undefined && swap.sizes.length > 0 ? SWAP_OPEN : undefined;
  return {
    configured: fact(proof.length > 0 ? true : undefined, proof) ?? open,
    static: isStatic(fixed, [...growing, ...slept(evidence)]),
    bytes: largest([
      ...weights,
      ...caches,
      ...swapped,
      ...logged,
      ...listed(readPromptCache(evidence)),
      ...listed(kept),
    ]),
  };
}

function listed<T>(one: T | undefined): readonly T[] {
  return one === undefined ? [] : [one];
}

function switchedOn({ args }: Evidence, flags: readonly string[]): readonly Citation[] {
  return flags.flatMap((flag) => {
    const argument = effectiveArgument(args, flag);
    return argument !== undefined && parseSwitch(argument.value) === true ? [argument.from] : [];
  });
}

function isStatic(fixed: readonly Citation[], growing: readonly Citation[]): Fact | undefined {
  return growing.length > 0 ? fact(false, growing) : fact(fixed.length > 0 ? true : undefined, fixed);
}

// Weights that a sleep copies to RAM come late, and again with every further sleep.
function slept({ weighing }: Evidence): readonly Citation[] {
  const last = weighing.all.findLast(({ phrase }) => phrase.id === 'vllm.num.sleep');
  return last === undefined ? [] : [citeHit(last)];
}

function sizeOf(args: readonly EngineArgument[], { flag, perRank }: typeof WEIGHTS): readonly Cited<number>[] {
  const argument = effectiveArgument(args, flag);
  const value = Number(argument?.value ?? Number.NaN);
  return argument !== undefined && value > 0
    ? [{ value: value * GIB * (perRank ? ranksOf(args) : 1), from: argument.from }]
    : [];
}

const SWAP_OPEN = unknown(
  'not-in-snapshot',
  'swap space is set, which takes host memory in V0 of vLLM and none in V1, and which of them runs is not known',
);

// V0 pins it at its start. V1 takes the flag up to 0.17, warns of its size and has no blocks in RAM at all: their number is
// fixed at 0 (vllm/v1/engine/core.py; vllm-project/vllm issue 27984, change 36216).
function readSwap(evidence: Evidence): {
  readonly sizes: readonly Cited<number>[];
  readonly taken: boolean | undefined;
} {
  const warned = evidence.weighing.all.filter(({ phrase }) => phrase.id === 'vllm.host.swap-large');
  const sizes = [...sizeOf(evidence.args, SWAP), ...warned.map((weighed) => sizeInLine(weighed, evidence.args))];
  if (sizes.length === 0) return { sizes, taken: undefined };
  const { generation } = readIdentity(evidence);
  return { sizes, taken: generation && generation.value === 'V0' };
}

/** Whether the process is a server of KV blocks; known where its command or its name is. */
export function readCacheServer(evidence: Pick<Evidence, 'incident' | 'spec'>): Fact | undefined {
  const named = cacheServer(evidence);
  return named.length > 0
    ? fact(true, named)
    : fact(
        evidence.spec.words.length > 0 ? false : undefined,
        evidence.spec.words.map(({ from }) => from),
      );
}

function cacheServer({ incident, spec }: Pick<Evidence, 'incident' | 'spec'>): readonly Citation[] {
  const declared = notedField(incident?.engine, '/engine');
  const words = [...(spec.image ? [spec.image] : []), ...spec.words].filter(({ value }) => CACHE_SERVER.test(value));
  const named = declared !== undefined && CACHE_SERVER.test(declared.value) ? [declared] : words;
  return named.map(({ from }) => from);
}

// Lines that only an engine with such a cache prints: LMCache keeps blocks in RAM unless told otherwise
// (lmcache/v1/config.py), the server of llama.cpp keeps prompts there by default. That it is there does not make it large.
const KEEPS = new Set(['lmcache.cfg.log-head', 'llamacpp.host.prompt-state', 'llamacpp.host.prompt-cache']);

/** Whether the log shows a cache in host memory at work. */
export function readCacheKept({ weighing, log }: Evidence): Fact | undefined {
  const lines = weighing.all.filter(({ phrase }) => KEEPS.has(phrase.id));
  const last = lastLine(log.main);
  return lines.length > 0 ? fact(true, lines.slice(0, 3).map(citeHit)) : last && fact(false, [last]);
}

const HOST_BUFFER = /^(?:CPU(?!_Mapped)\w*|\w+_Host)$/;

// The largest embedding of a public checkpoint (262k rows of 16384 in 16 bits) stays on the CPU in any case; what is
// mapped from a file can be given back.
const EMBEDDING = 8 * GIB;

// llama.cpp prints each buffer of weights: those outside the card are taken in RAM, experts above all.
function readKeptWeights({ weighing }: Evidence): Cited<number> | undefined {
  const kept = weighing.all
    .filter(({ hit, phrase }) => phrase.id === 'llamacpp.num.weights' && HOST_BUFFER.test(hit.captures.buf ?? ''))
    .map((weighed) => ({ value: Number(weighed.hit.captures.mib) * MIB, from: citeHit(weighed) }));
  return largest(kept.filter(({ value }) => value >= EMBEDDING));
}

// Lines in which an engine says that it allocates host memory for a cache.
const ALLOCATES = new Set(['sglang.host.alloc', 'kaito.host.offload', 'lmcache.host.size', 'vllm.host.offload-size']);

// Each rank prints what it takes for itself (lmcache/v1/config.py; SGLang srt/mem_cache/memory_pool_host.py).
const OF_ONE_RANK = new Set(['lmcache.host.size', 'sglang.host.alloc']);

function fromLog({ weighing, args }: Evidence): readonly Cited<number>[] {
  return weighing.all.filter(({ phrase }) => ALLOCATES.has(phrase.id)).map((weighed) => sizeInLine(weighed, args));
}

function sizeInLine(weighed: Weighed, args: readonly EngineArgument[]): Cited<number> {
  const { gb, size, swap, free, share } = weighed.hit.captures;
  const gib = free === undefined ? Number(gb ?? swap) : Number(free) * Number(share);
  const bytes = size !== undefined ? parseSize(size) : gib * GIB;
  const perRank = OF_ONE_RANK.has(weighed.phrase.id) ? ranksOf(args) : 1;
  return { value: (bytes ?? Number.NaN) * perRank, from: citeHit(weighed) };
}

function largest(sizes: readonly Cited<number>[]): Cited<number> | undefined {
  return sizes.filter(({ value }) => Number.isFinite(value)).toSorted((a, b) => b.value - a.value)[0];
}

/** The flags that tell how many ranks there are. */
export const RANKS = /^(?:--tensor-parallel-size|--tp(?:-size)?|--pipeline-parallel-size|--num-shard|-tp)$/;

const TENSOR = ['--tensor-parallel-size', '--tp', '--tp-size', '--num-shard'];

/** Tensor parallel times pipeline parallel; 1 where neither is set. */
export function ranksOf(args: readonly EngineArgument[]): number {
  return productOf(args, [...TENSOR, '--pipeline-parallel-size']);
}

/** Ranks that share each layer, and the vocabulary with it. */
export function tensorRanksOf(args: readonly EngineArgument[]): number {
  return productOf(args, TENSOR);
}

function productOf(args: readonly EngineArgument[], flags: readonly string[]): number {
  const sizes = flags.map((flag) => Number(effectiveArgument(args, flag)?.value ?? 1));
  return sizes.reduce((product, size) => (size > 1 ? product * size : product), 1);
}
