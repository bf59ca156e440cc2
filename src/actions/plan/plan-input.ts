import type { ActionId } from '../../model/action.ts';
import type { Bound, Hazard, Plan, PlanTarget, WriteStep } from '../../model/plan.ts';
import type { Edit, NotRuledOut } from '../../model/verdict.ts';

/** What a plan is made from: objects as they were just read, and what the finding wants. Times in ms. */
export type PlanInput = {
  readonly action: ActionId;
  readonly target: PlanTarget;
  /** The owner that is written. */
  readonly object: unknown;
  /** Autoscalers, budgets, applications, helpers of the owner: whatever was read around it. */
  readonly beside: readonly unknown[];
  /** What could not be read around it, in words. */
  readonly notRead: readonly string[];
  /** Replicas as the pods show them; undefined where they could not be read. */
  readonly pods: { readonly ready: number; readonly total: number } | undefined;
  readonly engine: { readonly name: string; readonly version: string | null };
  readonly edits: readonly Edit[];
  readonly profile: string | null;
  readonly bounds: readonly Bound[];
  readonly notRuledOut: readonly NotRuledOut[];
  /** The count that an earlier step to zero has recorded; null where none did. */
  readonly recordedReplicas: number | null;
  /** The writes of a run that are done, in the order in which they were done: what a roll-back undoes. */
  readonly done: readonly WriteStep[];
  /** Template of the revision before, for a roll-back without a run. */
  readonly previousTemplate: unknown;
  /** Somebody asked for zero although replicas serve; the plan then asks for the typed name. */
  readonly toZero: boolean;
  /** ISO 8601, for the annotation of a restart. */
  readonly at: string;
  readonly limits: PlanLimits;
  readonly known: PlanKnowledge;
  readonly approvals: number;
};

export type PlanLimits = {
  readonly maxMemoryBytes: number | null;
  readonly readyMs: number;
  readonly goneMs: number;
  readonly drainMs: number;
  readonly verifyMs: number;
};

/** What the evidence tells beside the objects; null where it is not known. */
export type PlanKnowledge = {
  readonly startupMs: number | null;
  /** A sentence on free GPUs. */
  readonly gpus: string | null;
  /** A sentence on requests that the new limits would refuse or queue. */
  readonly requests: string | null;
};

/** A plan before it has an id, a proposer and a time. */
export type PlanDraft = Omit<Plan, 'id' | 'incidentId' | 'hash' | 'proposedBy' | 'proposedAt' | 'expiresAt' | 'state'>;

export const PLAN_REFUSALS = [
  'unknown-owner',
  'no-container',
  'no-count',
  'argument-editor',
  'nothing-to-do',
  'would-be-undone',
  'replicas-serve',
  'above-cap',
  'no-record',
  'no-button',
] as const;

export type PlanOutcome =
  | { readonly kind: 'plan'; readonly draft: PlanDraft }
  | {
      readonly kind: 'refused';
      readonly why: (typeof PLAN_REFUSALS)[number];
      readonly says: string;
      /** A command or a patch to paste after having looked; null where there is none. */
      readonly paste: string | null;
      readonly hazards: readonly Hazard[];
    };
