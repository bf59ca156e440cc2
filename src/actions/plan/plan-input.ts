import type { ActionId } from '../../model/action.ts';
import type { Bound, Hazard, Plan, PlanTarget, WriteStep } from '../../model/plan.ts';
import type { Edit, NotRuledOut, Remedy } from '../../model/verdict.ts';

/** What a plan is made from: objects as they were just read, and what the finding wants. Times in ms. */
export type PlanInput = {
  readonly action: ActionId;
  readonly target: PlanTarget;
  /** The owner that is written. */
  readonly object: unknown;
  /** Autoscalers, applications, helpers of the owner (StatefulSet and ConfigMap of a Workspace): whatever was read around it. */
  readonly surroundings: readonly unknown[];
  /** What could not be read around it, in words. */
  readonly notRead: readonly string[];
  /** Pods as they were seen; undefined where they could not be read. `broken` names those that are not ready, where known. */
  readonly pods: { readonly ready: number; readonly total: number; readonly broken?: readonly string[] } | undefined;
  readonly engine: { readonly name: string; readonly version: string | null };
  readonly edits: readonly Edit[];
  /** What the signature demands of the main knob; it is never turned round. */
  readonly direction?: Remedy['direction'];
  readonly profile: string | null;
  readonly bounds: readonly Bound[];
  readonly notRuledOut: readonly NotRuledOut[];
  /** Whether the memory that failed is proved, and whether the cause is. */
  readonly certain: boolean;
  readonly causeCertain: boolean;
  /** The count that an earlier step to zero has recorded; null where none did. */
  readonly recordedReplicas: number | null;
  /** The count that somebody typed; null or absent where nobody did. */
  readonly wantedReplicas?: number | null;
  /** The writes of a run that are done, in the order in which they were done: what a roll-back undoes. */
  readonly done: readonly WriteStep[];
  /** The last revision and the one before it as the evidence has them, for a rollback without a run. Values may be redacted. */
  readonly revisions?: { readonly now: RevisionTemplates; readonly before: RevisionTemplates } | undefined;
  /** Uid of the pod that the incident is about; undefined where its evidence has none. */
  readonly pod?: string | undefined;
  /** Somebody asked for zero although replicas serve; the plan then asks for the typed name. */
  readonly toZero: boolean;
  /** ISO 8601, for the annotation of a restart. */
  readonly at: string;
  /** Id of the incident, for the names of new objects. */
  readonly incident?: string;
  readonly limits: PlanLimits;
  readonly known: PlanKnowledge;
  /** What ran out of memory; absent if it did not, or that is unknown. */
  readonly failed?: FailedSettings | undefined;
  readonly approvals: number;
};

/** The workload as it was when it ran out of memory, epoch ms, and the container that did. Secrets are redacted. */
export type FailedSettings = { readonly at: number; readonly owner: unknown; readonly container: unknown };

/** Pod templates of one revision: `leader` only of a LeaderWorkerSet that has one. */
export type RevisionTemplates = { readonly template?: unknown; readonly leader?: unknown };

export type PlanLimits = {
  readonly maxMemoryBytes: number | null;
  /** The highest count that may be typed where no autoscaler holds it and no more ran or were recorded. */
  readonly maxReplicas: number;
  readonly readyMs: number;
  readonly goneMs: number;
  readonly drainMs: number;
  readonly verifyMs: number;
};

/** What the evidence says in addition to the objects; null if unknown. */
export type PlanKnowledge = {
  /** How long the last start that was seen took. */
  readonly startupMs: number | null;
  /** Where that was seen, or what is missing. */
  readonly startup?: string;
  /** A sentence on free GPUs. */
  readonly gpus: string | null;
  /** A sentence on requests that the new limits would refuse or queue. */
  readonly requests: string | null;
  /** GPUs of one node that nobody has asked for or waits for; whether that node takes such a pod is not looked at. */
  readonly freeGpus?: number | null;
  /** What the node on which the pod ran gives to pods; null or absent where that was not read. */
  readonly nodeMemoryBytes?: number | null;
  /** Requests in flight now. */
  readonly inFlight?: number | null;
};

/** A plan before it has an id, a proposer and a time. */
export type PlanDraft = Omit<Plan, 'id' | 'incidentId' | 'hash' | 'proposedBy' | 'proposedAt' | 'expiresAt' | 'state'>;

type PlanRefusal =
  | 'unknown-owner'
  | 'no-container'
  | 'no-count'
  | 'argument-editor'
  | 'nothing-to-do'
  | 'would-be-undone'
  | 'replicas-serve'
  | 'above-cap'
  | 'no-limit'
  | 'no-record'
  | 'no-button'
  | 'no-place'
  | 'changed-since'
  | 'hidden-values'
  | 'outside-bounds'
  | 'not-taken'
  | 'protected'
  | 'wrong-direction';

export type Refused = {
  readonly kind: 'refused';
  readonly why: PlanRefusal;
  readonly says: string;
  /** A command or a patch to paste after having looked; null where there is none. */
  readonly paste: string | null;
  readonly hazards: readonly Hazard[];
};

export type PlanOutcome = { readonly kind: 'plan'; readonly draft: PlanDraft } | Refused;

/** A refusal; its hazards are added where the whole plan is known. */
export function refuse(why: PlanRefusal, says: string, paste: string | null = null): Refused {
  return { kind: 'refused', why, says, paste, hazards: [] };
}
