import { z } from 'zod';
import type { WaitStep } from '../../model/plan.ts';
import type { WorkloadPod } from '../acting-ports.ts';
import { failStep, noteStep, ok, recordOf, stepOf, stopWanted, type Work } from './act-work.ts';
import type { ActAnswer } from './answers.ts';
import { NO_READINGS, orLate } from './or-late.ts';
import { settleTime } from './pace.ts';
import { lastWriteAt, lookForRevert, untilNextMark } from './revert-watch.ts';

/** Whether the cluster has followed, by what was just read. */
type Seen = { readonly done: boolean; readonly says: string };

/** One look whether the cluster has followed. Nothing is written. */
export async function waitForStep(work: Work): Promise<ActAnswer> {
  const step = stepOf(work);
  const record = recordOf(work, step.n);
  if (step.kind !== 'wait' || record.phase === 'done') return ok(record.message);
  const stop = stopWanted(work);
  if (stop !== undefined) return stop;
  const standing = await lookForRevert(work);
  if (standing.kind === 'reverted') return failStep(work, record, { why: 'reverted', says: standing.says });
  const seen = await look(work, step);
  if (seen.done) {
    await noteStep(work, record, { phase: 'done', message: seen.says });
    return ok(seen.says);
  }
  const since = record.startedAt ?? work.deps.clock.now();
  if (work.deps.clock.now() - since >= step.deadlineMs) {
    const says = `${step.says}: not within ${Math.round(step.deadlineMs / 60_000)} min; ${seen.says}`;
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
  const read = await cluster.pods(plan.target, context);
  if (read.kind === 'could-not-tell') return { done: false, says: `the pods could not be read: ${read.why}` };
  if (step.until === 'no-pods') {
    const left = read.pods.length;
    return { done: left === 0, says: left === 0 ? 'no pod is left' : `${left} ${left === 1 ? 'pod' : 'pods'} left` };
  }
  return step.until === 'drained' ? lookDrained(work, read.pods) : lookReady(work, read.pods, step.replicas);
}

async function lookDrained({ deps, plan, context, run }: Work, pods: readonly WorkloadPod[]): Promise<Seen> {
  const { target } = plan;
  const { signal } = context;
  const reading = deps.eyes.readings({ target, pods, since: run.startedAt, signal });
  const { running } = await orLate(signal, reading, NO_READINGS);
  if (running.kind === 'unknown') return { done: false, says: `requests in flight could not be read: ${running.why}` };
  return { done: running.value === 0, says: `${running.value} requests in flight` };
}

async function lookReady(work: Work, pods: readonly WorkloadPod[], replicas: number): Promise<Seen> {
  const ready = readyOf(pods);
  const pending = await rolloutPending(work, replicas);
  const waiting = pods.find((pod) => !pod.ready && pod.why !== null)?.why;
  const says = [`${ready} of ${replicas} ready`, pending, waiting].filter(
    (part) => part !== null && part !== undefined,
  );
  return { done: ready >= replicas && pending === null, says: says.join('; ') };
}

/** Pods that serve. */
export function readyOf(pods: readonly WorkloadPod[]): number {
  return pods.filter(({ ready, terminating }) => ready && !terminating).length;
}

const Rollout = z.looseObject({
  metadata: z.looseObject({ generation: z.number().optional() }),
  status: z
    .looseObject({ observedGeneration: z.number().optional(), updatedReplicas: z.number().optional() })
    .optional(),
});

/** What the owner's own status says is still to come; null where it says nothing, or all is done. */
export async function rolloutPending({ cluster, plan, context }: Work, replicas: number): Promise<string | null> {
  const read = await cluster.read(plan.target.object, context);
  if (read.kind !== 'found') return 'the owner could not be read';
  const parsed = Rollout.safeParse(read.object);
  if (!parsed.success) return null;
  const { metadata, status } = parsed.data;
  const { observedGeneration: seen, updatedReplicas: updated } = status ?? {};
  if (seen !== undefined && metadata.generation !== undefined && seen < metadata.generation) {
    return 'the controller has not seen the change yet';
  }
  if (updated !== undefined && updated < replicas) return `${updated} of ${replicas} have the new template`;
  return null;
}

/** After the way back: looks until as many serve as did before, or as long as the plan would have waited. */
export async function settleBack(work: Work): Promise<ActAnswer> {
  const { plan, cluster, context, run } = work;
  const wanted = plan.serving.ready;
  const { deadlineMs, everyMs } = settleTime(plan.steps);
  const read = await cluster.pods(plan.target, context);
  const ready = read.kind === 'read' ? readyOf(read.pods) : null;
  const says = ready === null ? 'how many serve could not be read' : `${ready} of ${plan.serving.total} serve`;
  if (run.command === 'abandon' || deadlineMs === 0 || (ready !== null && ready >= wanted)) return ok(says);
  return { kind: 'wait', inMs: everyMs * (work.input.stretch ?? 1), says };
}

/** Since when pods count as made by this run. */
export function changedAt(work: Work): number {
  return lastWriteAt(work) ?? work.run.startedAt;
}
