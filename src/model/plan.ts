import { z } from 'zod';
import { ActionId } from './action.ts';
import { Cause } from './taxonomy.ts';
import { Edit, NotRuledOut } from './verdict.ts';

/** One object of a cluster. `uid` is null only for what is yet to be created. */
export const ObjectRef = z.strictObject({
  apiVersion: z.string(),
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
  uid: z.string().nullable(),
});
export type ObjectRef = z.infer<typeof ObjectRef>;

/** The exact object a plan was made from: the top owner that may be written, and the engine's container in it. */
export const PlanTarget = z.strictObject({
  cluster: z.string(),
  object: ObjectRef.extend({ uid: z.string() }),
  container: z.string().nullable(),
});
export type PlanTarget = z.infer<typeof PlanTarget>;

/** RFC 6902, the operations in use. */
export const PatchOperation = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('test'), path: z.string(), value: z.json() }),
  z.strictObject({ op: z.literal('add'), path: z.string(), value: z.json() }),
  z.strictObject({ op: z.literal('replace'), path: z.string(), value: z.json() }),
  z.strictObject({ op: z.literal('remove'), path: z.string() }),
]);
export type PatchOperation = z.infer<typeof PatchOperation>;

const stepBase = { n: z.int().min(1), says: z.string().min(1) };

/**
 * One write. `patch` tests the values the plan was made from, then sets the new ones; `inverse` tests ours, then puts
 * the old ones back. The run adds tests of the uid and of its own annotation, and the annotation of this step.
 */
export const WriteStep = z.strictObject({
  kind: z.literal('write'),
  ...stepBase,
  object: ObjectRef.extend({ uid: z.string() }),
  subresource: z.enum(['none', 'scale']),
  patch: z.array(PatchOperation).min(1),
  inverse: z.array(PatchOperation).min(1),
  /** The same as a kubectl command to paste, forward and back. */
  command: z.string(),
  inverseCommand: z.string(),
});
export type WriteStep = z.infer<typeof WriteStep>;

/** An object that is added and never deleted (a ConfigMap under a new name). */
export const CreateStep = z.strictObject({
  kind: z.literal('create'),
  ...stepBase,
  object: ObjectRef,
  manifest: z.json(),
  command: z.string(),
});
export type CreateStep = z.infer<typeof CreateStep>;

/** A wait until the cluster has followed: no pod left, `replicas` of them ready, or nothing in flight in the engine. Times in ms. */
export const WaitStep = z.strictObject({
  kind: z.literal('wait'),
  ...stepBase,
  until: z.enum(['no-pods', 'ready', 'drained']),
  replicas: z.int().min(0),
  everyMs: z.int().positive(),
  deadlineMs: z.int().positive(),
});
export type WaitStep = z.infer<typeof WaitStep>;

/** Verification for `forMs`, looked at every `everyMs`. */
export const VerifyStep = z.strictObject({
  kind: z.literal('verify'),
  ...stepBase,
  replicas: z.int().min(0),
  forMs: z.int().positive(),
  everyMs: z.int().positive(),
});
export type VerifyStep = z.infer<typeof VerifyStep>;

export const PlanStep = z.discriminatedUnion('kind', [WriteStep, CreateStep, WaitStep, VerifyStep]);
export type PlanStep = z.infer<typeof PlanStep>;

/** Something the approver must know: what would revert it, what is deleted with the pods, what is unknown. `blocks`: no button while it applies. */
export const Hazard = z.strictObject({
  id: z.string(),
  says: z.string().min(1),
  done: z.string().nullable(),
  blocks: z.boolean(),
});
export type Hazard = z.infer<typeof Hazard>;

/** Id of the hazard that is shown first: the plan starts what has run out of memory before. */
export const FAILED_BEFORE = 'failed-before';

/** One value that an approver may edit in the modal, and between which bounds; null where there is none. */
export const Bound = z.strictObject({ flag: z.string(), min: z.number().nullable(), max: z.number().nullable() });
export type Bound = z.infer<typeof Bound>;

/** What is proposed, bound to the object and values it was made from. Times are epoch ms. */
export const Plan = z.strictObject({
  id: z.string(),
  incidentId: z.string(),
  action: ActionId,
  /** The name of the profile that the values come from. */
  profile: z.string().nullable(),
  target: PlanTarget,
  edits: z.array(Edit),
  bounds: z.array(Bound),
  /** The count that was typed; null where nobody did, as in plans of before this was kept. */
  replicas: z.int().min(1).nullable().default(null),
  steps: z.array(PlanStep).min(1),
  /** Unified diff of what is written, for people. */
  diff: z.string(),
  /** Replicas that serve now, all of them, and how many of the serving ones this stops. */
  serving: z.strictObject({
    ready: z.int().min(0),
    total: z.int().min(0),
    stopped: z.int().min(0),
    /** How many are replaced one at a time, serving or not; plans of before this was kept do not say. */
    replaced: z.int().min(0).optional(),
  }),
  /** Expected time without any replica; `ms` null where it is not known. */
  outage: z.strictObject({ ms: z.number().nullable(), says: z.string() }),
  /** Sentences on GPU supply, and on the requests that the new limits would refuse or queue. */
  supply: z.string(),
  cost: z.string(),
  hazards: z.array(Hazard),
  notRuledOut: z.array(NotRuledOut),
  /** Whether it is proved which memory failed; plans of before this was kept do not say. */
  certain: z.boolean().optional(),
  /** Whether the cause is, which is what a remedy answers; plans of before this was kept are taken not to be. */
  causeCertain: z.boolean().default(false),
  /** What else it could be where it is not; plans of before this was kept do not say. */
  alternatives: z.array(Cause).optional(),
  /** What the approver has to type before this goes on, or null. */
  confirm: z.string().nullable(),
  approvals: z.int().min(1),
  hash: z.string(),
  proposedBy: z.string(),
  proposedAt: z.number(),
  expiresAt: z.number(),
  state: z.enum(['proposed', 'rejected', 'expired', 'used', 'replaced']),
});
export type Plan = z.infer<typeof Plan>;

/** What happened to one step. `undone` where its inverse was applied; `running` with an end: its time is over, and a person is asked. */
export const StepRecord = z.strictObject({
  n: z.int().min(1),
  phase: z.enum(['pending', 'running', 'done', 'failed', 'undone', 'not-run']),
  attempts: z.int().min(0),
  startedAt: z.number().nullable(),
  endedAt: z.number().nullable(),
  message: z.string(),
});
export type StepRecord = z.infer<typeof StepRecord>;

/** One check of a verification: yes, no, or could not tell, with the figure. */
export const CheckResult = z.strictObject({
  check: z.string(),
  answer: z.enum(['yes', 'no', 'could-not-tell']),
  says: z.string().min(1),
});
export type CheckResult = z.infer<typeof CheckResult>;

export const Run = z.strictObject({
  id: z.string(),
  planId: z.string(),
  incidentId: z.string(),
  target: PlanTarget,
  state: z.enum(['queued', 'running', 'compensating', 'done', 'failed', 'rolled-back', 'aborted']),
  steps: z.array(StepRecord),
  checks: z.array(CheckResult),
  command: z.enum(['none', 'abort', 'abandon', 'roll-back', 'keep']),
  commandBy: z.string().nullable(),
  startedBy: z.string(),
  /** One sentence on how it ended; null while it runs. */
  outcome: z.string().nullable(),
  startedAt: z.number(),
  updatedAt: z.number(),
});
export type Run = z.infer<typeof Run>;

/** `cluster/namespace/kind/name`: one run at a time on each. */
export function workloadOf({ cluster, object }: PlanTarget): string {
  return [cluster, object.namespace, object.kind, object.name].join('/');
}

/** The step that is over its time and asks whether requests in flight may be cut; undefined where a run asks nothing. */
export function openQuestion(run: Pick<Run, 'steps' | 'state'>, plan: Pick<Plan, 'steps'>): StepRecord | undefined {
  const drains = new Set(
    plan.steps.flatMap((step) => (step.kind === 'wait' && step.until === 'drained' ? [step.n] : [])),
  );
  if (run.state !== 'running') return undefined;
  return run.steps.find(({ n, phase, endedAt }) => drains.has(n) && phase === 'running' && endedAt !== null);
}

/** For how long a run watches after its last write whether something reverts it. */
export const REVERT_WATCH_MS = 300_000;

/** Whether a run has ended with a part of its writes made: the workload is neither as before nor as planned. */
export function isHalfway(run: Pick<Run, 'steps' | 'state'>, { steps }: Pick<Plan, 'steps'>): boolean {
  if (run.state !== 'failed' && run.state !== 'aborted') return false;
  const done = new Set(run.steps.flatMap(({ n, phase }) => (phase === 'done' ? [n] : [])));
  const writes = steps.filter(({ kind }) => kind === 'write');
  return writes.some(({ n }) => done.has(n)) && !writes.every(({ n }) => done.has(n));
}

/** The same plan without the values that it writes: what a count of its steps needs, and no secret of the workload. */
export function withoutValues(plan: Plan): Plan {
  const steps = plan.steps.map((step): PlanStep => {
    if (step.kind === 'write') return { ...step, patch: [], inverse: [] };
    return step.kind === 'create' ? { ...step, manifest: null } : step;
  });
  return { ...plan, steps };
}

/** Whether a run has done what it was made for, and that was seen. */
export function isVerified(run: Pick<Run, 'checks' | 'state'>, plan: Pick<Plan, 'steps'>): boolean {
  const isWanted = plan.steps.some(({ kind }) => kind === 'verify');
  return run.state === 'done' && isWanted && !isUnverified(run.checks, plan);
}

// Without these nothing is known of what the change was for.
const ESSENTIAL: ReadonlySet<string> = new Set(['rollout', 'restarts', 'oom-signature']);

/** Whether a plan wanted a verification and it saw too little to mean anything: no data is never good. */
export function isUnverified(checks: readonly CheckResult[], { steps }: Pick<Plan, 'steps'>): boolean {
  if (!steps.some(({ kind }) => kind === 'verify')) return false;
  const untold = checks.filter(({ answer }) => answer === 'could-not-tell');
  return checks.length === 0 || untold.some(({ check }) => ESSENTIAL.has(check)) || untold.length * 2 > checks.length;
}
