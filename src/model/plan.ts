import { z } from 'zod';
import { ActionId } from './action.ts';
import { Edit, NotRuledOut } from './verdict.ts';

/** The exact object a plan was made from. */
export const PlanTarget = z.strictObject({
  cluster: z.string(),
  namespace: z.string(),
  kind: z.string(),
  name: z.string(),
  uid: z.string(),
});
export type PlanTarget = z.infer<typeof PlanTarget>;

/** RFC 6902, the three operations in use. */
export const PatchOperation = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('test'), path: z.string(), value: z.json() }),
  z.strictObject({ op: z.literal('add'), path: z.string(), value: z.json() }),
  z.strictObject({ op: z.literal('replace'), path: z.string(), value: z.json() }),
  z.strictObject({ op: z.literal('remove'), path: z.string() }),
]);
export type PatchOperation = z.infer<typeof PatchOperation>;

/** One write, with the patch that undoes it. */
export const PlanStep = z.strictObject({
  n: z.int().min(1),
  says: z.string(),
  subresource: z.enum(['none', 'scale']),
  patch: z.array(PatchOperation),
  inverse: z.array(PatchOperation),
});
export type PlanStep = z.infer<typeof PlanStep>;

/** What is proposed, bound to the object and values it was made from. Times are epoch ms. */
export const Plan = z.strictObject({
  id: z.string(),
  incidentId: z.string(),
  action: ActionId,
  target: PlanTarget,
  edits: z.array(Edit),
  steps: z.array(PlanStep).min(1),
  serving: z.strictObject({ ready: z.int(), total: z.int(), stopped: z.int() }),
  notRuledOut: z.array(NotRuledOut),
  hash: z.string(),
  proposedBy: z.string(),
  proposedAt: z.number(),
  expiresAt: z.number(),
  state: z.enum(['proposed', 'approved', 'rejected', 'expired', 'used']),
});
export type Plan = z.infer<typeof Plan>;

/** One execution of an approved plan. */
export const Run = z.strictObject({
  id: z.string(),
  planId: z.string(),
  target: PlanTarget,
  state: z.enum(['queued', 'running', 'compensating', 'done', 'failed', 'rolled-back', 'aborted']),
  steps: z.array(
    z.strictObject({
      n: z.int(),
      phase: z.enum(['pending', 'running', 'done', 'failed', 'undone']),
      attempts: z.int(),
      startedAt: z.number().nullable(),
      endedAt: z.number().nullable(),
      message: z.string(),
    }),
  ),
  command: z.enum(['none', 'abort', 'roll-back']),
  updatedAt: z.number(),
});
export type Run = z.infer<typeof Run>;
