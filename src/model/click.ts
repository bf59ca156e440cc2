import type { Run } from './plan.ts';

/** A click, or its equal in the terminal, after `authorise` has said yes. */
export type Click = {
  readonly planId: string;
  readonly hash: string;
  readonly who: string;
  readonly decision: 'approve' | 'reject';
  /** The requester may not approve. */
  readonly barRequester: boolean;
  /** Break-glass: counts as all approvals; the reason is kept and announced. */
  readonly breakGlass: string | null;
  /** Why somebody rejects, where they say it. */
  readonly reason?: string | null;
  /** By the clock of the store. */
  readonly at: number;
  /** Those who had said yes before and whose yes does not count at this click. */
  readonly doubts?: readonly Doubt[];
};

/** An earlier approver who may no longer approve (`lapsed`: the yes is taken out), or of whom it cannot be told now (`unknown`: no run begins on that yes). */
export type Doubt = { readonly who: string; readonly kind: 'lapsed' | 'unknown'; readonly why: string };

export type ClickOutcome =
  | { readonly kind: 'run'; readonly run: Run }
  | { readonly kind: 'counted'; readonly have: number; readonly need: number }
  | { readonly kind: 'rejected' }
  | {
      readonly kind: 'refused';
      readonly why:
        | 'no-such-plan'
        | 'changed'
        | 'expired'
        | 'own-plan'
        | 'already-used'
        | 'already-rejected'
        | 'already-counted'
        | 'approver-unknown'
        | 'replaced'
        | 'busy'
        | 'paused';
    };
