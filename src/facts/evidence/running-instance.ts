import { parseLogName } from '../../model/snapshot.ts';
import type { Evidence } from './evidence.ts';

/** Whether the log is that of an instance that runs now: that of one that ended is kept as the previous one. */
export function isRunning({ log, death }: Pick<Evidence, 'log' | 'death'>): boolean {
  return death.kind === 'none' && parseLogName(log.main?.file ?? '')?.instance === 'current';
}
