import type { EngineArgument } from '../../../model/engine-reader.ts';
import { effectiveArgument } from '../../arguments.ts';

/** The flags that tell how many ranks there are. */
export const RANKS =
  /^(?:--tensor-parallel-size|--tp(?:-size)?|--pipeline-parallel-size|--num-shard|-tp|--sp-degree|--ulysses-degree)$/;

const TENSOR = ['--tensor-parallel-size', '--tp', '--tp-size', '--num-shard'];

// Ranks of SGLang's diffusion models that share a sequence; each holds the whole model (python/sglang/multimodal_gen/runtime/
// server_args.py: the degree is that of Ulysses times that of the ring).
const SEQUENCE = ['--sp-degree', '--ulysses-degree'];

/** Tensor parallel times pipeline parallel times sequence parallel; 1 where none is set. */
export function ranksOf(args: readonly EngineArgument[]): number {
  const sequence = Math.max(...SEQUENCE.map((flag) => productOf(args, [flag])));
  return productOf(args, [...TENSOR, '--pipeline-parallel-size']) * sequence;
}

/** Ranks that share each layer, and the vocabulary with it. */
export function tensorRanksOf(args: readonly EngineArgument[]): number {
  return productOf(args, TENSOR);
}

function productOf(args: readonly EngineArgument[], flags: readonly string[]): number {
  const sizes = flags.map((flag) => Number(effectiveArgument(args, flag)?.value ?? 1));
  return sizes.reduce((product, size) => (size > 1 ? product * size : product), 1);
}
