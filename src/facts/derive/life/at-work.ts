import { type Finding, known } from '../../pod/finding.ts';
import { metricValue } from '../../text/metrics-text.ts';
import type { Evidence } from '../evidence.ts';
import type { Life } from './time-of-life.ts';

/** By the engine's own count of requests in its metrics: they are of one that has come up, and one that starts has none. */
export function fromRunningRequests({ metrics }: Pick<Evidence, 'metrics'>): Finding<Life> | undefined {
  const running = metrics && metricValue(metrics, 'requests.running');
  return running !== undefined && running.value > 0 ? known('serving', running.from) : undefined;
}
