import type { Citation } from '../../model/citation.ts';
import type { EngineArgument } from '../../model/engine-reader.ts';
import { effectiveArgument } from '../../read/engine/arguments.ts';
import type { SmiGpu } from '../../read/tools/nvidia-smi.ts';
import type { Evidence } from '../evidence/evidence.ts';

const DEVICES = ['CUDA_VISIBLE_DEVICES', 'HIP_VISIBLE_DEVICES', 'ASCEND_RT_VISIBLE_DEVICES'];
const LIST = /^\d+(?:,\d+)*$/;

// What the runtime of the container gives it; most images set it to `all`.
const OF_CONTAINER = 'NVIDIA_VISIBLE_DEVICES';

/** The GPUs that a variable leaves visible to the engine; without a list where it names them otherwise than by number. */
export function readVisible(
  args: readonly EngineArgument[],
): { readonly list: readonly number[] | undefined; readonly from: Citation } | undefined {
  const seen = DEVICES.map((name) => effectiveArgument(args, name)).find((found) => found?.value != null);
  if (seen?.value == null) return givenTo(args);
  return { list: LIST.test(seen.value) ? seen.value.split(',').map(Number) : undefined, from: seen.from };
}

function givenTo(
  args: readonly EngineArgument[],
): { readonly list: readonly number[]; readonly from: Citation } | undefined {
  const given = effectiveArgument(args, OF_CONTAINER);
  if (given?.value == null || !LIST.test(given.value)) return undefined;
  return { list: given.value.split(',').map(Number), from: given.from };
}

/** The cards of nvidia-smi that are visible to the engine: all of the node, where no variable names some. */
export function visibleCards({ smi, args }: Pick<Evidence, 'smi' | 'args'>): readonly SmiGpu[] {
  const all = smi?.gpus ?? [];
  const visible = readVisible(args);
  return visible === undefined ? all : all.filter(({ index }) => index !== undefined && visible.list?.includes(index));
}
