import { z } from 'zod';
import { Verdict } from './verdict.ts';

const base = { at: z.number(), incidentId: z.string(), actor: z.string() };

/** What happened to an incident, written in the same transaction as the change it tells of. */
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
  }),
  z.strictObject({ kind: z.literal('step-done'), ...base, runId: z.string(), step: z.int(), outcome: z.string() }),
  z.strictObject({
    kind: z.literal('verified'),
    ...base,
    runId: z.string(),
    answer: z.enum(['yes', 'no', 'could-not-tell']),
  }),
  z.strictObject({ kind: z.literal('incident-closed'), ...base, why: z.string() }),
]);
export type DomainEvent = z.infer<typeof DomainEvent>;
