import type { Citation } from '../../model/citation.ts';
import { effectiveArgument } from '../../read/engine/arguments.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit } from '../evidence/weigh.ts';

/** Their loaders go through the files of a checkpoint one by one, in every rank (weight_utils.py of both). */
export const BY_FILE: ReadonlySet<string> = new Set(['vllm', 'sglang']);

/** What tells that every rank reads files of weights into memory of its own: mapped is what safetensors are unless told otherwise. */
export function readWhole({ args, engine, weighing }: Evidence): Citation | undefined {
  if (!BY_FILE.has(engine.engine)) return undefined;
  const told = WHOLE.map(([flag, values]) => {
    const argument = effectiveArgument(args, flag);
    return argument?.value != null && values.includes(argument.value) ? argument.from : undefined;
  });
  const printed = weighing.all.find(({ hit }) =>
    /Loading (?:pt checkpoint shards|safetensors checkpoint shards \(eager\))/.test(hit.clean),
  );
  return told.find((from) => from !== undefined) ?? (printed && citeHit(printed));
}

const WHOLE: readonly (readonly [string, readonly string[]])[] = [
  ['--load-format', ['pt', 'npcache', 'bitsandbytes']],
  ['--safetensors-load-strategy', ['eager']],
  ['--quantization', ['bitsandbytes']],
];
