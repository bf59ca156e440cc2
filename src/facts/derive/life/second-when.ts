import type { Fact } from '../../../model/fact.ts';
import { known } from '../../pod/finding.ts';
import type { Evidence } from '../evidence.ts';
import { lastMilestone, readLife } from './life.ts';

/** What the run of the second failure was at, in words: it is another run than the first, and may have come less far. */
export function readSecondWhen(run: Evidence): Fact | undefined {
  const life = readLife(run);
  if (life.kind !== 'known') return undefined;
  if (life.value === 'serving') return known('while it served again', ...life.from);
  const last = lastMilestone(run);
  if (last?.milestone === 'load-begin') return known('while it loaded the weights again', last.from);
  return known('while it started again', ...life.from);
}
