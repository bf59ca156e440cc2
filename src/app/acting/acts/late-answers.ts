import type { EngineReadings } from '../../../actions/verify-checks.ts';
import type { RequestTimes } from '../../../model/request-times.ts';

const WHY = 'the read timed out';
const LATE = { kind: 'unknown', why: WHY } as const;

/** The answer to a question that timed out. */
export const NOT_TOLD = { kind: 'could-not-tell', why: WHY } as const;

/** The same for how long requests took. */
export const NO_TIMES: RequestTimes = { ttftP99: LATE, latencyP99: LATE, shortWait: LATE };

/** The same for all figures of an engine. */
export const NO_READINGS: EngineReadings = {
  ramShare: LATE,
  gpuFreeShare: LATE,
  kvShare: LATE,
  preemptions: LATE,
  waiting: LATE,
  running: LATE,
  times: NO_TIMES,
};

/** What is not answered in time is not known: metrics that hang hold no run up. */
export function orLate<T>(signal: AbortSignal, work: Promise<T>, late: T): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(late);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    // One signal may outlive many questions: none of them may stay on it.
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
