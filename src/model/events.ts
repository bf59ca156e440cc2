import { z } from 'zod';
import { Run } from './plan.ts';
import { Verdict } from './verdict.ts';

const base = { at: z.number(), incidentId: z.string(), actor: z.string() };

/** What happened to an incident, written in the same transaction as the change it reports. */
export const DomainEvent = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('incident-opened'), ...base, workload: z.string() }),
  z.strictObject({ kind: z.literal('incident-seen-again'), ...base, seen: z.int() }),
  z.strictObject({ kind: z.literal('verdict-given'), ...base, snapshotId: z.string(), verdict: Verdict }),
  z.strictObject({ kind: z.literal('plan-made'), ...base, planId: z.string(), hash: z.string() }),
  z.strictObject({
    kind: z.literal('approval-given'),
    ...base,
    planId: z.string(),
    decision: z.enum(['approve', 'reject']),
    /** The reason of one who broke the glass: it counted as all approvals. */
    breakGlass: z.string().optional(),
    /** Why it was rejected, where that was said. */
    reason: z.string().optional(),
  }),
  /** A yes that was counted and counts no more: its giver, the actor, may no longer approve. */
  z.strictObject({ kind: z.literal('approval-lapsed'), ...base, planId: z.string(), why: z.string() }),
  /** A plan that nobody can use any more, though nobody rejected it. */
  z.strictObject({
    kind: z.literal('plan-ended'),
    ...base,
    planId: z.string(),
    state: z.enum(['expired', 'replaced']),
  }),
  z.strictObject({ kind: z.literal('run-queued'), ...base, runId: z.string(), planId: z.string() }),
  z.strictObject({
    kind: z.literal('run-changed'),
    ...base,
    runId: z.string(),
    state: Run.shape.state,
    outcome: z.string().nullable(),
  }),
  z.strictObject({ kind: z.literal('run-commanded'), ...base, runId: z.string(), command: Run.shape.command }),
  z.strictObject({ kind: z.literal('step-done'), ...base, runId: z.string(), step: z.int(), outcome: z.string() }),
  z.strictObject({
    kind: z.literal('verified'),
    ...base,
    runId: z.string(),
    answer: z.enum(['yes', 'no', 'could-not-tell']),
  }),
  z.strictObject({ kind: z.literal('incident-closed'), ...base, why: z.string() }),
  z.strictObject({ kind: z.literal('incident-reopened'), ...base, seen: z.int() }),
  z.strictObject({ kind: z.literal('incident-acknowledged'), ...base }),
  z.strictObject({
    kind: z.literal('feedback-given'),
    ...base,
    finding: z.string(),
    right: z.boolean(),
    actual: z.string().nullable(),
  }),
]);
export type DomainEvent = z.infer<typeof DomainEvent>;
