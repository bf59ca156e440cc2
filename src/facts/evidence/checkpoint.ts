import type { Cited } from '../../model/engine-reader.ts';
import { effectiveArgument } from '../../read/engine/arguments.ts';
import type { Evidence } from './evidence.ts';
import { ranksOf } from './ranks.ts';

/** The files of the weights by rank: what a GPU will hold of them, unless they are quantized while they load. */
export function checkpointShare({ engine, args }: Pick<Evidence, 'engine' | 'args'>): Cited<number> | undefined {
  const { checkpointBytes: all } = engine.figures;
  // vLLM prints two digits of GiB: a model so small says nothing.
  if (all === undefined || all.value === 0 || effectiveArgument(args, '--quantization') !== undefined) return undefined;
  return { ...all, value: all.value / ranksOf(args) };
}
