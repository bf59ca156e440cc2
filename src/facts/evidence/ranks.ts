import type { EngineArgument } from '../../model/engine-reader.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { effectiveArgument, parseSwitch } from '../../read/engine/arguments.ts';
import type { Evidence } from './evidence.ts';
import type { Weighed } from './weigh.ts';

/** The flags that tell how many ranks there are. */
export const RANKS =
  /^(?:--tensor-parallel-size|--tp(?:-size)?|--pipeline-parallel-size|--num-shard|-tp|--sp-degree|--ulysses-degree|--data-parallel-size(?:-local)?|--dp(?:-size)?)$/;

// One setting in the words of several engines: a command and the echo of it in the log have two of them.
const TENSOR = ['--tensor-parallel-size', '--tp', '--tp-size', '--num-shard'];

// Ranks of SGLang's diffusion models that share a sequence; each holds the whole model (python/sglang/multimodal_gen/runtime/
// server_args.py: the degree is that of Ulysses times that of the ring).
const SEQUENCE = ['--sp-degree', '--ulysses-degree'];

/** Tensor parallel times pipeline parallel times sequence parallel; 1 where none is set. */
export function ranksOf(args: readonly EngineArgument[]): number {
  return tensorRanksOf(args) * largestOf(args, ['--pipeline-parallel-size']) * largestOf(args, SEQUENCE);
}

/** Ranks that share each layer, and the vocabulary with it. */
export function tensorRanksOf(args: readonly EngineArgument[]): number {
  return largestOf(args, TENSOR);
}

const COPIES = ['--data-parallel-size', '--dp-size', '--dp'];
const COPIES_HERE = ['--data-parallel-size-local', '-dpl'];
// One engine for each command, or engines of which nothing tells the place (vllm/engine/arg_utils.py).
const ONE_HERE = ['--data-parallel-rank', '--data-parallel-external-lb'];

/** Engines of one server on this node that hold the whole model each (vllm/v1/engine/utils.py, CoreEngineProcManager). */
export function enginesOfNode(args: readonly EngineArgument[]): number {
  const isPlaced = args.some(({ flag }) => ONE_HERE.includes(flag)) || isByRay(args) || sharesRanks(args);
  return Math.max(largestOf(args, COPIES_HERE), isPlaced ? 1 : enginesOf(args));
}

/** Engines of data parallel serving, on all nodes; `--data-parallel-size-local` alone tells those of this one. */
function enginesOf(args: readonly EngineArgument[]): number {
  return args.some(({ flag }) => COPIES_HERE.includes(flag)) ? 1 : largestOf(args, COPIES);
}

function isByRay(args: readonly EngineArgument[]): boolean {
  return effectiveArgument(args, '--data-parallel-backend')?.value === 'ray';
}

// The attention alone is data parallel there: the ranks of tensor parallelism are shared out (SGLang srt/server_args.py).
function sharesRanks(args: readonly EngineArgument[]): boolean {
  const flag = effectiveArgument(args, '--enable-dp-attention');
  return flag !== undefined && parseSwitch(flag.value) === true;
}

/** Ranks that run on one node, whose RAM and limit are theirs alone, of all its engines. */
export function ranksOfNode(args: readonly EngineArgument[]): number {
  return Math.ceil((ranksOf(args) * enginesOfNode(args)) / largestOf(args, ['--nnodes']));
}

function largestOf(args: readonly EngineArgument[], flags: readonly string[]): number {
  const sizes = flags.map((flag) => Number(effectiveArgument(args, flag)?.value ?? 1));
  return Math.max(1, ...sizes.filter((size) => size > 1));
}

/** How many ranks run on this node: by the arguments, and by the heads of the lines in which each says what it takes for itself. */
export function ranksShown({ weighing, args }: Pick<Evidence, 'weighing' | 'args'>): number {
  return Math.max(ranksOfNode(args), ranksIn(weighing.all));
}

// `[2026-01-08 11:29:51 DP0 TP3] `, `(Worker_TP1 pid=771) `, `(VllmWorker rank=1 pid=802) `: the head tells which rank speaks.
const HEAD = /^[^\n]{0,60}?(?:\b|_)((?:[DPTE]P\d{1,4}[ _]?){1,4}|rank=\d{1,4})\b/;

// Where one rank alone prints the size, each still says that it makes a cache of its own (lmcache/v1/cache_engine.py).
const MAKES_ONE = /\bCreating LMCacheEngine instance\b/;

function ranksIn(told: readonly Weighed[]): number {
  const heads = told
    .filter(({ signature, hit }) => hasRole(signature, 'per-rank') || MAKES_ONE.test(hit.text))
    .flatMap(({ hit }) => HEAD.exec(hit.text)?.[1]?.trim() ?? []);
  return Math.max(new Set(heads).size, upTo(heads));
}

// Ranks of one kind are numbered from 0: of 0, 1 and 3 a line is missing. A node that has no rank 0 has some of them only.
function upTo(heads: readonly string[]): number {
  const kinds = new Set(heads.map((head) => head.replaceAll(/\d/g, '')));
  const numbers = heads.flatMap((head) => Number(/^\D{0,8}(\d{1,4})$/.exec(head)?.[1] ?? []));
  return kinds.size === 1 && numbers.includes(0) ? Math.max(...numbers) + 1 : 0;
}
