import type { Citation } from '../../../model/citation.ts';
import type { EngineArgument } from '../../../model/engine-reader.ts';
import { effectiveArgument } from '../../arguments.ts';

const DEVICES = ['CUDA_VISIBLE_DEVICES', 'HIP_VISIBLE_DEVICES', 'ASCEND_RT_VISIBLE_DEVICES'];
const LIST = /^\d+(?:,\d+)*$/;

/** The GPUs that a variable leaves visible to the engine; without a list where it names them otherwise than by number. */
export function readVisible(
  args: readonly EngineArgument[],
): { readonly list: readonly number[] | undefined; readonly from: Citation } | undefined {
  const seen = DEVICES.map((name) => effectiveArgument(args, name)).find((found) => found?.value != null);
  if (seen?.value == null) return undefined;
  return { list: LIST.test(seen.value) ? seen.value.split(',').map(Number) : undefined, from: seen.from };
}
