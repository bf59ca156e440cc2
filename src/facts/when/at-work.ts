import { metricValue } from '../../read/metrics/metrics-text.ts';
import { known, type Reading } from '../../read/reading.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { Life } from '../evidence/line-cause.ts';
import { isProved } from './proved-life.ts';

/**
 * By the engine's own count of requests in its metrics: they are of one that has come up, and one that starts has none.
 * They may be of the next life, and date no proved failure.
 */
export function fromRunningRequests(evidence: Evidence): Reading<Life> | undefined {
  if (isProved(evidence)) return undefined;
  const { metrics } = evidence;
  const running = metrics && metricValue(metrics, 'requests.running');
  return running !== undefined && running.value > 0 ? known('serving', running.from) : undefined;
}
