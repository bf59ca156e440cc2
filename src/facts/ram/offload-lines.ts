import type { Cited } from '../../model/engine-reader.ts';
import { GIB, MIB, parseSize } from '../../model/quantity.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit, type Weighed, withPhrases } from '../evidence/weigh.ts';
import { ranksOfNode } from './ranks.ts';

const HOST_BUFFER = /^(?:CPU(?!_Mapped)\w*|\w+_Host)$/;

// The largest embedding of a public checkpoint (262k rows of 16384 in 16 bits) stays on the CPU in any case; what is
// mapped from a file can be given back.
const EMBEDDING = 8 * GIB;

/** What is kept in RAM from the load on and does not grow, by the lines of the log. */
export function readKept(evidence: Evidence): readonly Cited<number>[] {
  const weights = buffersOf(evidence, 'llamacpp.num.weights').filter(({ isOfHost }) => isOfHost);
  const pools = buffersOf(evidence, 'llamacpp.num.kv-buffer');
  // Layers that are not on the card have their part of the pool in RAM; without a card all of it is there as a matter of course.
  const beside = pools.some(({ isOfHost }) => !isOfHost) ? pools.filter(({ isOfHost }) => isOfHost) : [];
  const large = [...weights, ...beside].filter(({ size }) => size.value >= EMBEDDING);
  return [...large.map(({ size }) => size), ...readOffloaded(evidence)];
}

// llama.cpp prints each buffer: weights outside the card are taken in RAM, experts above all.
function buffersOf({ weighing }: Evidence, id: string) {
  return weighing.all
    .filter(({ phrase }) => phrase.id === id)
    .map((weighed) => ({
      isOfHost: HOST_BUFFER.test(weighed.hit.captures.buf ?? ''),
      size: { value: Number(weighed.hit.captures.mib) * MIB, from: citeHit(weighed) },
    }));
}

// Each worker of vLLM prints what it left in pinned RAM, and nothing where that is none (model_executor/offloader/uva.py).
function readOffloaded(evidence: Evidence): readonly Cited<number>[] {
  return toldOffloaded(evidence)
    .map((weighed) => sizeInLine(weighed, ranksShown(evidence)))
    .filter(({ value }) => value >= GIB);
}

/** The lines of workers about weights that they left in RAM. */
export function toldOffloaded({ weighing }: Pick<Evidence, 'weighing'>): readonly Weighed[] {
  return weighing.all.filter(({ phrase }) => phrase.id === 'vllm.host.offloaded-weights');
}

// Lines in which an engine says that it allocates host memory for a cache.
const ALLOCATES = new Set(['sglang.host.alloc', 'kaito.host.offload', 'lmcache.host.size', 'vllm.host.offload-size']);

// Each rank prints what it takes for itself (lmcache/v1/config.py; SGLang srt/mem_cache/memory_pool_host.py).
const OF_ONE_RANK = new Set(['lmcache.host.size', 'sglang.host.alloc', 'vllm.host.offloaded-weights']);

/** How many ranks run on this node: by the arguments, and by the heads of the lines in which each says what it takes for itself. */
export function ranksShown({ weighing, args, readings }: Pick<Evidence, 'weighing' | 'args' | 'readings'>): number {
  return Math.max(ranksOfNode(args, readings.texts.get('args.txt')), ranksIn(weighing.all));
}

/** What engines say that they allocate for a cache, all ranks together. */
export function readAllocated(evidence: Evidence): readonly Cited<number>[] {
  const { weighing, log, readings } = evidence;
  // KAITO counts it before vLLM prints its banner, with which a run begins.
  const above = withPhrases(log.whole === undefined ? [] : [log.whole], readings.phrases.byId).filter(
    ({ phrase }) => phrase.id === 'kaito.host.offload',
  );
  const told = [...above, ...weighing.all.filter(({ phrase }) => ALLOCATES.has(phrase.id))];
  return told.map((weighed) => sizeInLine(weighed, ranksShown(evidence)));
}

// `[2026-01-08 11:29:51 DP0 TP3] `, `(Worker_TP1 pid=771) `, `(VllmWorker rank=1 pid=802) `: the head tells which rank speaks.
const HEAD = /^[^\n]{0,60}?(?:\b|_)((?:[DPTE]P\d{1,4}[ _]?){1,4}|rank=\d{1,4})\b/;

// Where one rank alone prints the size, each still says that it makes a cache of its own (lmcache/v1/cache_engine.py).
const MAKES_ONE = /\bCreating LMCacheEngine instance\b/;

function ranksIn(told: readonly Weighed[]): number {
  const heads = told
    .filter(({ phrase, hit }) => OF_ONE_RANK.has(phrase.id) || MAKES_ONE.test(hit.text))
    .flatMap(({ hit }) => HEAD.exec(hit.text)?.[1]?.trim() ?? []);
  return Math.max(new Set(heads).size, upTo(heads));
}

// Ranks of one kind are numbered from 0: of 0, 1 and 3 a line is missing. A node that has no rank 0 has some of them only.
function upTo(heads: readonly string[]): number {
  const kinds = new Set(heads.map((head) => head.replaceAll(/\d/g, '')));
  const numbers = heads.flatMap((head) => Number(/^\D{0,8}(\d{1,4})$/.exec(head)?.[1] ?? []));
  return kinds.size === 1 && numbers.includes(0) ? Math.max(...numbers) + 1 : 0;
}

/** What a line tells, times the ranks where each prints its own. */
export function sizeInLine(weighed: Weighed, ranks: number): Cited<number> {
  const { gb, size, swap, free, share } = weighed.hit.captures;
  const gib = free === undefined ? Number(gb ?? swap) : Number(free) * Number(share);
  const bytes = size !== undefined ? parseSize(size) : gib * GIB;
  const perRank = OF_ONE_RANK.has(weighed.phrase.id) ? ranks : 1;
  return { value: (bytes ?? Number.NaN) * perRank, from: citeHit(weighed) };
}

/** The largest of the sizes that are numbers. */
export function largest(sizes: readonly Cited<number>[]): Cited<number> | undefined {
  return sizes.filter(({ value }) => Number.isFinite(value)).toSorted((a, b) => b.value - a.value)[0];
}
