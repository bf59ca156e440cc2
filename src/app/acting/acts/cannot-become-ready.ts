import { replicaFailure } from '../../../model/kubernetes.ts';
import type { WorkloadPod } from '../../acting-ports.ts';
import type { Work } from './act-work.ts';
import { readSkew } from './clock-skew.ts';
import { NOT_TOLD, orLate } from './late-answers.ts';

// The kubelet goes on trying, and no time helps: an image that is not there, a ConfigMap or Secret that is missing.
const NEVER: ReadonlySet<string> = new Set([
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'CreateContainerConfigError',
]);
const CRASHES = 'CrashLoopBackOff';
// The API server gives times in whole seconds.
const SECOND_MS = 1000;

/** What is waited for: pods as they were just read, undefined if they could not be; of these, those made since the write at `since` (epoch ms), which `after` names, at the look of this number. */
type Wait = {
  readonly pods: readonly WorkloadPod[] | undefined;
  readonly since: number;
  readonly after: 'change' | 'rollback';
  readonly looks: number;
};

/** Why the pods that the run has made cannot become ready, however long they are waited for; undefined where they may. */
export async function whyNeverReady(work: Work, wait: Wait): Promise<string | undefined> {
  const stuck = (wait.pods ?? []).filter(({ ready, terminating, why }) => !ready && !terminating && isSuspect(why));
  // Pods from before the change may be just those that the incident is about.
  const ours = stuck.length === 0 ? [] : await madeByRun(work, stuck, wait);
  const never = ours.find(({ why }) => why !== null && NEVER.has(why));
  if (never !== undefined) return `${never.name} cannot start: ${never.why}`;
  const crashing = ours.filter(({ why }) => why === CRASHES);
  return crashing.length > 0 ? sameFailure(work, crashing, wait) : failedCreate(work, wait);
}

function isSuspect(why: string | null): boolean {
  return why === CRASHES || (why !== null && NEVER.has(why));
}

async function madeByRun(work: Work, pods: readonly WorkloadPod[], { since }: Wait): Promise<readonly WorkloadPod[]> {
  const from = await inCluster(work, since);
  return pods.filter(({ createdAt }) => createdAt >= from);
}

// By the clock of the cluster.
async function inCluster(work: Work, at: number): Promise<number> {
  return at - (await readSkew(work)) - SECOND_MS;
}

async function sameFailure(
  work: Work,
  pods: readonly WorkloadPod[],
  { since, after }: Wait,
): Promise<string | undefined> {
  const { deps, plan, run, context } = work;
  const { signal } = context;
  const look = { target: plan.target, pods, since, begun: run.startedAt, incidentId: run.incidentId, signal };
  const seen = await orLate(signal, deps.eyes.signature(look), NOT_TOLD);
  return seen.kind === 'found' ? `it fails again after the ${after}: ${seen.says}` : undefined;
}

// A quota frees up while old pods end: a failure that the second look sees too is taken as lasting.
async function failedCreate(work: Work, { looks, since, pods }: Wait): Promise<string | undefined> {
  const { cluster, plan, context } = work;
  if (looks === 0 || pods?.some(({ terminating }) => terminating)) return undefined;
  const read = await cluster.read(plan.target.object, context);
  const status = read.kind === 'found' ? read.object.status : undefined;
  const why = replicaFailure(status)?.why ?? (pods && (await failedEvent(work, pods, since)));
  return why === undefined ? undefined : `its pods cannot be created: ${why || 'FailedCreate'}`;
}

// A StatefulSet says it only in events, which outlast what they tell: a pod made since then proves it over.
async function failedEvent(work: Work, pods: readonly WorkloadPod[], since: number): Promise<string | undefined> {
  const { cluster, plan, context } = work;
  const last = await cluster.failedCreate(plan.target.object, context);
  if (last === undefined || pods.some(({ createdAt }) => createdAt + SECOND_MS > last.at)) return undefined;
  return last.at >= (await inCluster(work, since)) ? last.why : undefined;
}
