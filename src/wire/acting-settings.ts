import type { VerifyMarks } from '../actions/verify-checks.ts';
import type { VerifySettings } from '../app/acting/engine-eyes.ts';
import type { PlanSettings } from '../app/acting/settings.ts';
import type { Config } from '../config.ts';
import { covers, matchesAny, type Target } from '../model/authorise.ts';
import type { PlanTarget } from '../model/plan.ts';
import { parseQuantity } from '../model/quantity.ts';
import { isLasting } from './open-store.ts';

const MINUTE_MS = 60_000;

/** Where a card may offer a plan: changes are allowed there, are kept, and somebody may ask for them. */
export function planOffer(config: Config): (place: Target) => boolean {
  const { protectedNamespaces } = config.acting;
  const acting = new Set(config.clusters.flatMap(({ name, acting: how }) => (how === undefined ? [] : [name])));
  return (place) =>
    isLasting(config.store.url) &&
    acting.has(place.cluster) &&
    !covers({ clusters: ['*'], namespaces: protectedNamespaces }, place) &&
    config.act.some(({ verbs, scope }) => verbs.includes('plan') && covers(scope, place));
}

/** The times and limits of `acting`, in ms and bytes. */
export function planSettings({ acting, slack }: Config): PlanSettings {
  return {
    command: slack.command,
    approvals: acting.approvals,
    barRequester: !acting.requesterMayApprove,
    expiryMs: acting.expiryMinutes * MINUTE_MS,
    protectedNamespaces: acting.protectedNamespaces,
    breakGlass: acting.breakGlass,
    limits: {
      maxMemoryBytes: acting.maxMemory === undefined ? null : (parseQuantity(acting.maxMemory) ?? null),
      maxReplicas: acting.maxReplicas,
      readyMs: acting.readyMinutes * MINUTE_MS,
      goneMs: acting.goneMinutes * MINUTE_MS,
      drainMs: acting.drainMinutes * MINUTE_MS,
      verifyMs: acting.verifyMinutes * MINUTE_MS,
    },
  };
}

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
