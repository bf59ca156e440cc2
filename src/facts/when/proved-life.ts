import type { Evidence } from '../evidence/evidence.ts';
import { killReports } from '../evidence/process-kill.ts';

/** Whether a line, a status or the kernel proves what failed: then a guess at the time of life may not date it. */
export function isProved(evidence: Evidence): boolean {
  const { oomKilled, evicted } = evidence.kubernetes;
  const byStatus =
    (oomKilled.kind === 'known' && oomKilled.value) || (evicted.kind === 'known' && evicted.value !== 'no');
  const byLine = evidence.weighing.decisive !== undefined || killReports(evidence).length > 0;
  return byLine || byStatus || evidence.kernel?.victim !== undefined;
}
