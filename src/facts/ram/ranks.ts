import type { EngineArgument } from '../../model/engine-reader.ts';
import { effectiveArgument, parseSwitch } from '../../read/engine/arguments.ts';

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

// `#SBATCH --nodes=2`, `srun -N 2`: a directive, or the command (SchedMD/slurm doc/man/man1/srun.1).
const NODES = /^(?:#SBATCH\b|[^#\n]{0,200}?\b(?:sbatch|srun|salloc)\b)[^\n]{0,300}? (?:--nodes[= ]|-N ?)(\d{1,4})\b/gm;

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

/** Ranks that run on one node, whose RAM and limit are theirs alone, of all its engines; `text` is args.txt. */
export function ranksOfNode(args: readonly EngineArgument[], text = ''): number {
  const asked = [...text.matchAll(NODES)].map(([, nodes]) => Number(nodes));
  const nodes = Math.max(1, largestOf(args, ['--nnodes']), ...asked);
  return Math.ceil((ranksOf(args) * enginesOfNode(args)) / nodes);
}

function largestOf(args: readonly EngineArgument[], flags: readonly string[]): number {
  const sizes = flags.map((flag) => Number(effectiveArgument(args, flag)?.value ?? 1));
  return Math.max(1, ...sizes.filter((size) => size > 1));
}
