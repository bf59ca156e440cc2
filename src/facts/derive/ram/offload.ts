import type { Citation } from '../../../model/citation.ts';
import type { Cited, EngineArgument } from '../../../model/engine-reader.ts';
import type { Fact } from '../../../model/fact.ts';
import { GIB, MIB, parseSize } from '../../../model/quantity.ts';
import { effectiveArgument, parseSwitch } from '../../arguments.ts';
import { unknown } from '../../pod/finding.ts';
import { citeLine, evidenceLines } from '../../text/lines.ts';
import { fact } from '../draft.ts';
import { readIdentity } from '../engine/engine-identity.ts';
import type { Evidence } from '../evidence.ts';
import { notedField } from '../noted-field.ts';
import { variablesOf } from '../variables.ts';
import { lastLine } from '../weigh/tail-lines.ts';
import { citeHit, type Weighed } from '../weigh/weigh.ts';
import { readPromptCache } from './prompt-cache.ts';

export type Offload = { readonly configured: Fact | undefined; readonly bytes: Cited<number> | undefined };

// Flags in GiB. `perRank`: each rank takes as much (vLLM vllm/engine/arg_utils.py, SGLang server_args.py, LMCache config.py).
const SIZED: readonly { readonly flag: string; readonly perRank: boolean }[] = [
  { flag: '--cpu-offload-gb', perRank: true },
  { flag: '--kv-offloading-size', perRank: false },
  { flag: '--hicache-size', perRank: true },
  // Each worker makes a pool of its own, pinned, of this many GiB (lmcache/v1/storage_backend/local_cpu_backend.py, 0.5.6).
  { flag: 'LMCACHE_MAX_LOCAL_CPU_SIZE', perRank: true },
];

const SWAP = { flag: '--swap-space', perRank: true };

const SWITCHES = [
  '--enable-hierarchical-cache',
  '--enable-lmcache',
  '--enable-sleep-mode',
  '--vllm-enable-sleep',
  '--cpu-moe',
];

// A KV connector that keeps blocks in host memory, a prompt cache in RAM, weights or experts left on the CPU or copied
// there for sleep, or variables that set one up: as flags, keys of a file or fields of a program.
const IN_TEXT = new RegExp(
  [
    'OffloadingConnector|LMCacheConnector|LMCACHE_\\w*CPU|max_local_cpu_size|cpu_bytes_to_use|[Mm]ooncake_?[Ss]tore|HiCache|hicache',
    'LLAMA_ARG_CACHE_RAM|(?:cache-ram|ctx-checkpoints|swa-checkpoints|n-cpu-moe)\\b|override-tensor\\S* \\S*=CPU|-ot \\S*=CPU',
    'offload_to_cpu|cpu_offload|offload_folder|\\b(?:param|optimizer|weight)_offload\\W{1,4}[Tt]rue|offload_(?:param|optimizer)',
    'enable[-_]sleep|kv_cache_host_memory_bytes|host_cache_size|KVBM_CPU_CACHE|--cpu-memory|--pre_layer',
  ].join('|'),
);

// A process whose only work is to keep KV blocks in RAM for others.
const CACHE_SERVER =
  /\blm-?cache[ _.-]?(?:v1[._]|experimental[._])?(?:cache[ _-]?)?server\b|\bmooncake[ _-](?:master|store)\b/i;

/** Whether weights, KV blocks or prompt caches are kept in host memory, and how much they may take. */
export function readOffload(evidence: Evidence): Offload {
  const args = [...variablesOf(evidence), ...evidence.args];
  const sized = SIZED.flatMap((one) => sizeOf(args, one));
  const swap = readSwap(evidence);
  const switches = SWITCHES.flatMap((flag) => {
    const argument = effectiveArgument(evidence.args, flag);
    return argument !== undefined && parseSwitch(argument.value) === true ? [argument.from] : [];
  });
  const logged = fromLog(evidence);
  const cache = readPromptCache(evidence);
  const kept = readKeptWeights(evidence);
  const proof = [
    ...[...sized, ...(swap.taken ? swap.sizes : [])].map(({ from }) => from),
    ...switches,
    ...inArguments(evidence),
    ...logged.map(({ from }) => from),
    ...(kept === undefined ? [] : [kept.from]),
    ...cacheServer(evidence),
  ];
  const bytes = largest([
    ...sized,
    ...(swap.taken ? swap.sizes : []),
    ...logged,
    ...[cache, kept].filter((one) => one !== undefined),
  ]);
  const open = swap.taken === undefined && swap.sizes.length > 0 ? SWAP_OPEN : undefined;
  return { configured: fact(proof.length > 0 ? true : undefined, proof) ?? open, bytes };
}

function sizeOf(args: readonly EngineArgument[], { flag, perRank }: (typeof SIZED)[number]): readonly Cited<number>[] {
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

function inArguments({ args, readings }: Evidence) {
  const ofArgs = args.filter(({ value }) => value !== null && IN_TEXT.test(value)).map(({ from }) => from);
  const text = readings.texts.get('args.txt') ?? '';
  const ofText = evidenceLines(text)
    .filter((line) => IN_TEXT.test(line.text))
    .map((line) => citeLine('args.txt', line));
  return [...ofArgs, ...ofText];
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
