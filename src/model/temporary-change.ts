import { z } from 'zod';
import { ActionId } from './action.ts';
import { PlanTarget } from './plan.ts';
import { Cause } from './taxonomy.ts';

/** `reverted`: the values from before are back. `changed`: somebody set others. `gone`: the workload was deleted. The last three are closed. */
export const ChangeState = z.enum(['temporary', 'reverted', 'changed', 'gone', 'permanent', 'rolled-back', 'closed']);
export type ChangeState = z.infer<typeof ChangeState>;

/** One value that a run has set, as it is shown: without secrets. Null is a field that is not there. */
export const ChangedValue = z.strictObject({
  label: z.string(),
  from: z.string().nullable(),
  to: z.string().nullable(),
});
export type ChangedValue = z.infer<typeof ChangedValue>;

/** What a run has changed, as it was when the run ended. Times are epoch ms. */
export const ChangeDraft = z.strictObject({
  id: z.string(),
  runId: z.string(),
  planId: z.string(),
  incidentId: z.string(),
  action: ActionId,
  target: PlanTarget,
  values: z.array(ChangedValue).min(1),
  /** What to put into the manifest in Git, as YAML or in words. */
  patch: z.string(),
  requestedBy: z.string(),
  approvedBy: z.array(z.string()),
  cause: Cause,
  appliedAt: z.number(),
  expiresAt: z.number(),
});
export type ChangeDraft = z.infer<typeof ChangeDraft>;

/** One entry of the ledger: a change that lasts until it is rolled back, made permanent, or closed by a person. */
export const TemporaryChange = ChangeDraft.extend({
  state: ChangeState,
  /** Who brought it into this state: a person, or a field manager of the cluster. */
  stateBy: z.string().nullable(),
  why: z.string().nullable(),
  stateAt: z.number(),
  nextCheckAt: z.number(),
  checkedAt: z.number().nullable(),
  /** Why the last check read nothing; null where it did. */
  checkFault: z.string().nullable(),
});
export type TemporaryChange = z.infer<typeof TemporaryChange>;

export const OPEN_CHANGES: readonly ChangeState[] = ['temporary', 'reverted', 'changed', 'gone'];

export function isOpenChange({ state }: Pick<TemporaryChange, 'state'>): boolean {
  return OPEN_CHANGES.includes(state);
}

const HOUR_MS = 3_600_000;

/** When people are reminded: an hour before a change expires, or at half of its time where that is later. */
export function reminderAt({ appliedAt, expiresAt }: Pick<ChangeDraft, 'appliedAt' | 'expiresAt'>): number {
  return Math.max(expiresAt - HOUR_MS, Math.round((appliedAt + expiresAt) / 2));
}
