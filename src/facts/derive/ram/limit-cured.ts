import type { Cited } from '../../../model/engine-reader.ts';
import type { Fact } from '../../../model/fact.ts';
import { parseSize } from '../../../model/quantity.ts';
import { known } from '../../pod/finding.ts';
import type { Evidence } from '../evidence.ts';

/**
 * The memory limit that people put below words such as `after (works):`, where what was in force before is not known to be as
 * much.
 */
export function readLimitCured({ cured }: Evidence, before: Cited<number> | undefined): Fact | undefined {
  const [told] = (cured?.containers ?? []).flatMap(({ limits }) => limits.get('memory') ?? []);
  const bytes = told === undefined ? undefined : parseSize(told.value);
  if (told === undefined || bytes === undefined || (before !== undefined && before.value >= bytes)) return undefined;
  return known(bytes, told.from);
}
