import type { EngineArgument } from '../../../model/engine-reader.ts';
import { effectiveArgument } from '../../arguments.ts';

/** The flags that tell how many ranks there are. */
export const RANKS =
  /^(?:--tensor-parallel-size|--tp(?:-size)?|--pipeline-parallel-size|--num-shard|-tp|--sp-degree|--ulysses-degree)$/;

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

/** Ranks that run on one node, whose RAM and limit are theirs alone; `text` is args.txt. */
export function ranksOfNode(args: readonly EngineArgument[], text = ''): number {
  const asked = [...text.matchAll(NODES)].map(([, nodes]) => Number(nodes));
  const nodes = Math.max(1, largestOf(args, ['--nnodes']), ...asked);
  return Math.ceil(ranksOf(args) / nodes);
}

function largestOf(args: readonly EngineArgument[], flags: readonly string[]): number {
  const sizes = flags.map((flag) => Number(effectiveArgument(args, flag)?.value ?? 1));
  return Math.max(1, ...sizes.filter((size) => size > 1));
}
