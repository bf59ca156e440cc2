import type { Citation } from '../../model/citation.ts';
import type { Cited, EngineArgument } from '../../model/engine-reader.ts';
import { GIB } from '../../model/quantity.ts';
import { effectiveArgument, parseSwitch } from '../../read/engine/arguments.ts';
import { unknown } from '../../read/reading.ts';
import { variablesOf } from '../evidence/container-variables.ts';
import { defineFacts } from '../evidence/define.ts';
import { readIdentity } from '../evidence/engine-identity.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { ranksOfNode } from '../evidence/ranks.ts';
import { notedField } from '../evidence/snapshot-files.ts';
import { citeHit } from '../evidence/weigh.ts';
import { citedNumber, computed, fact, factOf, ratio } from '../log/draft.ts';
import { ARGS } from '../log/needs.ts';
import { readLife } from '../when/life.ts';
import { readLimit } from './limit.ts';
import { largest, readAllocated, readKept, sizeInLine, toldOffloaded } from './offload-lines.ts';
import { readToldOffload } from './offload-text.ts';
import { readPromptCache } from './prompt-cache.ts';

/** Weights, KV blocks or prompt caches in host memory: whether they are kept there, whether that grows, and how much it may take. */
export const RAM_OFFLOAD = defineFacts(
  {
    'ram.offload-configured': {
      unit: 'yes-no',
      says: 'the engine was told to keep weights, KV blocks or prompt caches in host memory',
      saysNot: 'the engine was told to keep neither weights nor caches in host memory',
      needs: `${ARGS}, and the version of vLLM (for its swap space)`,
    },
    'ram.offload-static': {
      unit: 'yes-no',
      says: 'all of that is weights or swap space: taken once, not growing',
      needs: `${ARGS}, and the log for what slept`,
    },
    'ram.offload-bytes': {
      unit: 'bytes',
      says: 'host memory that offloading and caches may take, all ranks together',
      needs: ARGS,
    },
    'ram.offload-share': {
      unit: 'share',
      says: 'host memory that offloading and caches may take, against the memory limit (or the node, without a limit)',
      needs: 'the engine arguments and the memory limit',
    },
  },
  (evidence) => {
    const { configured, isStatic, bytes } = readOffload(evidence);
    const holds = readLimit(evidence) ?? citedNumber(evidence.node?.allocatableMemory);
    return {
      'ram.offload-configured': configured,
      'ram.offload-static': isStatic,
      'ram.offload-bytes': factOf(bytes),
      'ram.offload-share': computed([bytes, holds], ratio),
    };
  },
);

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
const SLEEP = '--enable-sleep-mode';
const WEIGHT_SWITCHES = ['--vllm-enable-sleep', '--cpu-moe'];

// A process whose only work is to keep KV blocks in RAM for others.
const CACHE_SERVER =
  /\blm-?cache[ _.-]?(?:v1[._]|experimental[._])?(?:cache[ _-]?)?server\b|\bmooncake[ _-](?:master|store)\b/i;

function readOffload(evidence: Evidence) {
  const args = [...variablesOf(evidence), ...evidence.args];
  const told = readToldOffload(evidence);
  const ranks = ranksOfNode(args);
  // The flag is a bound: what the workers say that they left in RAM is what they took.
  const weights = toldOffloaded(evidence).length > 0 ? [] : sizeOf(args, WEIGHTS, ranks);
  const swap = readSwap(evidence);
  const taken = [...weights, ...(swap.taken ? swap.sizes : []), ...readKept(evidence)];
  const caches = [...CACHES.flatMap((one) => sizeOf(args, one, ranks)), ...readAllocated(evidence)];
  const fixed = [
    ...taken.map(({ from }) => from),
    ...switchedOn(evidence, WEIGHT_SWITCHES),
    ...mayHaveSlept(evidence),
    ...told.flatMap((one) => (one.static ? [one.from] : [])),
  ];
  const growing = [
    ...caches.map(({ from }) => from),
    ...switchedOn(evidence, CACHE_SWITCHES),
    ...told.flatMap((one) => (one.static ? [] : [one.from])),
    ...cacheServer(evidence),
    ...slept(evidence),
  ];
  const proof = [...fixed, ...growing];
  const isOpen = swap.taken === undefined && swap.sizes.length > 0;
  const prompts = readPromptCache(evidence);
  return {
    configured: fact(proof.length > 0 ? true : undefined, proof) ?? (isOpen ? SWAP_OPEN : undefined),
    isStatic: growing.length > 0 ? fact(false, growing) : fact(fixed.length > 0 ? true : undefined, fixed),
    bytes: largest([...taken, ...caches, ...(prompts === undefined ? [] : [prompts])]),
  };
}

function switchedOn({ args }: Evidence, flags: readonly string[]): readonly Citation[] {
  return flags.flatMap((flag) => {
    const argument = effectiveArgument(args, flag);
    return argument !== undefined && parseSwitch(argument.value) === true ? [argument.from] : [];
  });
}

// A server copies its weights to RAM when it is told to sleep, and not while it starts; trainers send engines to sleep at once
// (vllm/v1/worker/gpu_worker.py, sleep).
function mayHaveSlept(evidence: Evidence): readonly Citation[] {
  const life = readLife(evidence);
  return life.kind === 'known' && life.value === 'starting' ? [] : switchedOn(evidence, [SLEEP]);
}

const DROPS = /\blevel["']?\s{0,3}[=:]\s{0,3}2\b/;

// Weights that a sleep copies to RAM come late, and again with every further sleep: at level 1, which is the default; level 2
// drops them (vllm/device_allocator/cumem.py).
function slept({ weighing, readings }: Evidence): readonly Citation[] {
  const last = weighing.all.findLast(({ hit }) => hit.captures.freed !== undefined);
  const drops = DROPS.test(readings.texts.get('args.txt') ?? '');
  return last === undefined || drops ? [] : [citeHit(last)];
}

function sizeOf(
  args: readonly EngineArgument[],
  { flag, perRank }: typeof WEIGHTS,
  ranks: number,
): readonly Cited<number>[] {
  const argument = effectiveArgument(args, flag);
  const value = Number(argument?.value ?? Number.NaN);
  return argument !== undefined && value > 0
    ? [{ value: value * GIB * (perRank ? ranks : 1), from: argument.from }]
    : [];
}

const SWAP_OPEN = unknown(
  'not-in-snapshot',
  'swap space is set, which takes host memory in V0 of vLLM and none in V1, and which of them runs is not known',
);

// What V0 takes for each rank where nobody says anything (vllm/config.py, CacheConfig.swap_space, v0.6.6): to ask for no more
// is no offload.
const UNASKED = 4 * GIB;

// V0 pins it at its start. V1 takes the flag up to 0.17, warns of its size and has no blocks in RAM at all: their number is
// fixed at 0 (vllm/v1/engine/core.py; vllm-project/vllm issue 27984, change 36216).
function readSwap(evidence: Evidence): {
  readonly sizes: readonly Cited<number>[];
  readonly taken: boolean | undefined;
} {
  const warned = evidence.weighing.all.filter(
    ({ signature, hit }) => signature.weight === 'context' && hit.captures.swap !== undefined,
  );
  const ranks = ranksOfNode(evidence.args);
  const told = sizeOf(evidence.args, SWAP, ranks).filter(({ value }) => value > UNASKED * ranks);
  const sizes = [...told, ...warned.map((weighed) => sizeInLine(weighed, 1))];
  if (sizes.length === 0) return { sizes, taken: undefined };
  const { generation } = readIdentity(evidence);
  return { sizes, taken: generation && generation.value === 'V0' };
}

function cacheServer({ incident, spec }: Pick<Evidence, 'incident' | 'spec'>): readonly Citation[] {
  const declared = notedField(incident?.engine, '/engine');
  const words = [...(spec.image ? [spec.image] : []), ...spec.words].filter(({ value }) => CACHE_SERVER.test(value));
  const named = declared !== undefined && CACHE_SERVER.test(declared.value) ? [declared] : words;
  return named.map(({ from }) => from);
}
