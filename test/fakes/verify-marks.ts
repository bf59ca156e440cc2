import type { VerifyMarks } from '../../src/actions/verify-checks.ts';

/** What the configuration gives where nobody sets anything. */
export const DEFAULT_MARKS: VerifyMarks = {
  ramShare: 0.9,
  gpuFreeShare: 0.02,
  kvShare: 0.95,
  waitingPerRunning: 1,
  ttftP99: null,
  latencyP99: null,
  shortWait: null,
  worseBy: 1.2,
};
