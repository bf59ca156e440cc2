import type { EngineArgument } from '../../../model/engine-reader.ts';
import { effectiveArgument } from '../../arguments.ts';

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
