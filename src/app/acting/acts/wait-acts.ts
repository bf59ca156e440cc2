import { isMadeAtZero } from '../../../actions/run/undo-steps.ts';
import type { WaitStep } from '../../../model/plan.ts';
import type { WorkloadPod } from '../../acting-ports.ts';
import type { ActAnswer } from '../act-answers.ts';
import { failStep, noteStep, ok, recordOf, stepOf, stopWanted, type Work } from './act-work.ts';
import { whyNeverReady } from './cannot-become-ready.ts';
import { takeWord, waitUntilDrained } from './drain.ts';
import { settleTime } from './pace.ts';
import { GROUPS, type RolloutSeen, readRollout } from './read-rollout.ts';
import { lastWriteAt, lookForRevert, lookForRevertedRollback, untilNextMark } from './revert-watch.ts';

/** Whether the cluster has followed, by the pods that were just read; undefined if they could not be. */
type Seen = { readonly done: boolean; readonly says: string; readonly pods?: readonly WorkloadPod[] | undefined };

/** One look whether the cluster has followed. Nothing is written. */
export async function waitForStep(work: Work): Promise<ActAnswer> {
  const step = stepOf(work);
  const record = recordOf(work, step.n);
  if (step.kind !== 'wait') return ok(record.message);
  if (record.phase === 'done') {
    if (step.until === 'drained') await takeWord(work);
    return ok(record.message);
  }
  const stop = stopWanted(work);
  if (stop !== undefined) return stop;
  const standing = await lookForRevert(work);
  if (standing.kind === 'reverted') return failStep(work, record, { why: 'reverted', says: standing.says });
  if (step.until === 'drained') return waitUntilDrained(work, step, record);
  const seen = await look(work, step);
  if (seen.done) {
    await noteStep(work, record, { phase: 'done', message: seen.says });
    return ok(seen.says);
  }
  const wait = { pods: seen.pods, since: changedAt(work), after: 'change', looks: record.attempts } as const;
  const never = step.until === 'ready' ? await whyNeverReady(work, wait) : undefined;
  if (never !== undefined) return failStep(work, record, { why: 'failed', says: never });
  const since = record.startedAt ?? work.deps.clock.now();
  if (work.deps.clock.now() - since >= step.deadlineMs) {
    const says = `${step.says}: not done within ${Math.round(step.deadlineMs / 60_000)} min; ${seen.says}`;
    return failStep(work, record, { why: 'timeout', says });
  }
  await noteStep(work, record, { phase: 'running', message: seen.says, attempt: true });
  return { kind: 'wait', inMs: nextLook(work, step.everyMs), says: seen.says };
}

/** At the pace of the plan, and at the marks of the revert watch. */
export function nextLook(work: Work, everyMs: number): number {
  const pace = everyMs * (work.input.stretch ?? 1);
  // Not sooner than in a second, however near a mark is.
  return Math.max(Math.min(1000, pace), Math.min(pace, untilNextMark(work) ?? pace));
}

async function look(work: Work, step: WaitStep): Promise<Seen> {
  const { cluster, plan, context } = work;
  if (step.until === 'no-pods') return lookGone(work);
  const read = await cluster.pods(plan.target, context);
  return read.kind === 'read' ? lookReady(work, read.pods, step.replicas) : lookCounted(work, read.why, step.replicas);
}

// Pods that cannot be read, or are too many, are counted by the status of their owner where it counts them.
async function lookCounted(work: Work, why: string, replicas: number): Promise<Seen> {
  const unread = `pods not readable: ${why}`;
  const seen = await readRollout(work, replicas);
  const { ready } = seen;
  if (ready === null) return { done: false, says: unread };
  const lacks = pendingOf(seen);
  const says = [`${ready} of ${replicas} ready (from the workload status)`, lacks, unread];
  return { done: ready >= replicas && lacks === null, says: says.filter((part) => part !== null).join('; ') };
}

async function lookReady(work: Work, pods: readonly WorkloadPod[], replicas: number): Promise<Seen> {
  const ready = readyOf(pods);
  const pending = await rolloutPending(work, replicas);
  const waiting = pods.find((pod) => !pod.ready && pod.why !== null)?.why;
  const isGroup = GROUPS.includes(work.plan.target.object.kind);
  const count = isGroup ? `${ready} pods ready` : `${ready} of ${replicas} ready`;
  const says = [count, pending, waiting].filter((part) => part !== null && part !== undefined);
  return { done: ready >= replicas && pending === null, says: says.join('; '), pods };
}

/** Ready pods that are not terminating. */
export function readyOf(pods: readonly WorkloadPod[]): number {
  return pods.filter(({ ready, terminating }) => ready && !terminating).length;
}

/** What the owner's own status says is still to come; null where it says nothing, or all is done. */
export async function rolloutPending(work: Work, replicas: number): Promise<string | null> {
  return pendingOf(await readRollout(work, replicas));
}

function pendingOf({ pending, missing }: RolloutSeen, has = 'have the new template'): string | null {
  return pending ?? (missing === null ? null : `${missing} ${has}`);
}

/**
 * During a rollback and at its end: polls until as many replicas are ready as before, all on the old template, or until
 * the plan's own deadline. Before undoing a step made at zero replicas, polls until no pod is left.
 */
export async function settleBack(work: Work): Promise<ActAnswer> {
  const { plan, run, input } = work;
  // What was never written needs no time to follow.
  if (!hasToSettle(work)) return ok('nothing was rolled back');
  const standing = input.n === undefined ? await lookForRevertedRollback(work) : undefined;
  if (standing?.kind === 'reverted') return { kind: 'stop', why: 'reverted', says: standing.says };
  const { deadlineMs, everyMs } = settleTime(plan.steps);
  const { done, says, pods } = isMadeAtZero(plan, input.n) ? await lookGone(work) : await lookBack(work);
  if (run.command === 'abandon' || deadlineMs === 0 || done) return ok(says);
  const since = Math.max(...run.steps.map(({ phase, endedAt }) => (phase === 'undone' ? (endedAt ?? 0) : 0)));
  const never = since > 0 && (await whyNeverReady(work, { pods, since, after: 'rollback', looks: input.i }));
  // The values of before may be just those that fail.
  if (never) return { kind: 'stop', why: 'failed', says: never };
  return { kind: 'wait', inMs: everyMs * (input.stretch ?? 1), says };
}

// Before a rollback step: if that step was begun. At the end: if any step was undone.
function hasToSettle({ run, input }: Work): boolean {
  return run.steps.some(({ n, phase, attempts }) =>
    input.n === undefined ? phase === 'undone' : n === input.n && attempts > 0 && phase !== 'undone',
  );
}

async function lookGone({ cluster, plan, context }: Work): Promise<Seen> {
  const read = await cluster.pods(plan.target, context);
  if (read.kind === 'could-not-tell') return { done: false, says: `pods not readable: ${read.why}` };
  const { pods } = read;
  const left = pods.length;
  return { done: left === 0, says: left === 0 ? 'no pods left' : `${left} ${left === 1 ? 'pod' : 'pods'} left`, pods };
}

async function lookBack(work: Work): Promise<Seen> {
  const { plan, cluster, context, input } = work;
  const read = await cluster.pods(plan.target, context);
  const rollOut = await readRollout(work, null);
  const ready = rollOut.groups ?? (read.kind === 'read' ? readyOf(read.pods) : rollOut.ready);
  const serve =
    ready === null ? 'number of ready replicas unknown' : `${ready} of ${plan.serving.total} replicas ready`;
  const pending = pendingOf(rollOut, 'still run the old template');
  // If the status has no observed generation, the controller gets time to see the change.
  const isSeen = !(rollOut.isBlind && input.i === 0);
  const done = pending === null && isSeen && ready !== null && ready >= plan.serving.ready;
  const says = pending === null ? serve : `${pending}; ${serve}`;
  return { done, says, pods: read.kind === 'read' ? read.pods : undefined };
}

/** Since when pods count as made by this run. */
export function changedAt(work: Work): number {
  return lastWriteAt(work) ?? work.run.startedAt;
}
