import { z } from 'zod';
import { valueAt } from '../../../model/json-patch.ts';
import type { WaitStep } from '../../../model/plan.ts';
import type { WorkloadPod } from '../../acting-ports.ts';
import type { ActAnswer } from '../desk/answers.ts';
import { failStep, noteStep, ok, recordOf, stepOf, stopWanted, type Work } from './act-work.ts';
import { takeWord, waitUntilDrained } from './drain.ts';
import { settleTime } from './pace.ts';
import { lastWriteAt, lookForRevert, untilNextMark } from './revert-watch.ts';

/** Whether the cluster has followed, by what was just read. */
type Seen = { readonly done: boolean; readonly says: string };

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
  return lookReady(work, read.pods, step.replicas);
}

async function lookReady(work: Work, pods: readonly WorkloadPod[], replicas: number): Promise<Seen> {
  const ready = readyOf(pods);
  const pending = await rolloutPending(work, replicas);
  const waiting = pods.find((pod) => !pod.ready && pod.why !== null)?.why;
  const isGroup = GROUPS.includes(work.plan.target.object.kind);
  const count = isGroup ? `${ready} pods ready` : `${ready} of ${replicas} ready`;
  const says = [count, pending, waiting].filter((part) => part !== null && part !== undefined);
  return { done: ready >= replicas && pending === null, says: says.join('; ') };
}

/** Pods that serve. */
export function readyOf(pods: readonly WorkloadPod[]): number {
  return pods.filter(({ ready, terminating }) => ready && !terminating).length;
}

const Rollout = z.looseObject({
  metadata: z.looseObject({ generation: z.number().optional() }),
  status: z
    .looseObject({
      observedGeneration: z.number().optional(),
      updatedReplicas: z.number().optional(),
      readyReplicas: z.number().optional(),
    })
    .optional(),
});

// A replica of these is a group of pods, and serves only as a whole: their pods do not tell.
const GROUPS: readonly string[] = ['LeaderWorkerSet'];

/** What the owner's own status says is still to come; null where it says nothing, or all is done. */
export async function rolloutPending({ cluster, plan, context }: Work, replicas: number): Promise<string | null> {
  const read = await cluster.read(plan.target.object, context);
  if (read.kind !== 'found') return 'the owner could not be read';
  const parsed = Rollout.safeParse(read.object);
  if (!parsed.success) return null;
  const { metadata, status } = parsed.data;
  const { observedGeneration: seen, updatedReplicas: updated, readyReplicas = 0 } = status ?? {};
  if (seen !== undefined && metadata.generation !== undefined && seen < metadata.generation) {
    return 'the controller has not seen the change yet';
  }
  const wanted = Math.max(0, replicas - heldBack(read.object));
  if (updated !== undefined && updated < wanted) return `${updated} of ${wanted} have the new template`;
  const isGroup = GROUPS.includes(plan.target.object.kind);
  return isGroup && readyReplicas < replicas ? `${readyReplicas} of ${replicas} groups serve` : null;
}

/** After the way back: looks until as many serve as did before, or as long as the plan would have waited. */
export async function settleBack(work: Work): Promise<ActAnswer> {
  const { plan, cluster, context, run } = work;
  const wanted = plan.serving.ready;
  const { deadlineMs, everyMs } = settleTime(plan.steps);
  const read = await cluster.pods(plan.target, context);
  const inPods = read.kind === 'read' ? readyOf(read.pods) : null;
  const ready = GROUPS.includes(plan.target.object.kind) ? await readyGroups(work) : inPods;
  const says = ready === null ? 'how many serve could not be read' : `${ready} of ${plan.serving.total} serve`;
  if (run.command === 'abandon' || deadlineMs === 0 || (ready !== null && ready >= wanted)) return ok(says);
  return { kind: 'wait', inMs: everyMs * (work.input.stretch ?? 1), says };
}

// Where a partition holds replicas below a number back, these keep the old template.
const PARTITIONS = [
  '/spec/updateStrategy/rollingUpdate/partition',
  '/spec/rolloutStrategy/rollingUpdateConfiguration/partition',
];

function heldBack(object: unknown): number {
  const held = PARTITIONS.map((path) => valueAt(object, path)).find((value) => typeof value === 'number');
  return typeof held === 'number' ? held : 0;
}

async function readyGroups({ cluster, plan, context }: Work): Promise<number | null> {
  const read = await cluster.read(plan.target.object, context);
  const parsed = read.kind === 'found' ? Rollout.safeParse(read.object).data : undefined;
  return parsed === undefined ? null : (parsed.status?.readyReplicas ?? 0);
}

/** Since when pods count as made by this run. */
export function changedAt(work: Work): number {
  return lastWriteAt(work) ?? work.run.startedAt;
}
