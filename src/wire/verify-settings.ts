import type { VerifyMarks } from '../actions/verify-checks.ts';
import type { VerifySettings } from '../app/acting/engine-eyes.ts';
import type { Config } from '../config.ts';
import { covers, matchesAny } from '../model/authorise.ts';
import type { PlanTarget } from '../model/plan.ts';

/** The marks of `acting.verify` for each workload. */
export function verifySettings({ acting }: Config): VerifySettings {
  const { targets, worseBy, ramShare, gpuFreeShare, kvShare, waitingPerRunning } = acting.verify;
  const marks = { worseBy, ramShare, gpuFreeShare, kvShare, waitingPerRunning };
  return {
    marksOf: ({ cluster, object }: PlanTarget): VerifyMarks => {
      const place = { cluster, namespace: object.namespace };
      const own = targets.find((target) => covers(target, place) && matchesAny(target.workloads, object.name));
      const { ttftP99Ms = null, latencyP99Ms = null, shortWaitP95Ms = null } = own ?? {};
      return { ...marks, ttftP99: ttftP99Ms, latencyP99: latencyP99Ms, shortWait: shortWaitP95Ms };
    },
  };
}
