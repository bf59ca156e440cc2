import type { PlanLimits } from '../../actions/plan/plan-input.ts';

/** How plans are made and approved. Times in ms. */
export type PlanSettings = {
  /** What is typed before the words of the bot: `/oom`. */
  readonly command: string;
  readonly approvals: number;
  readonly barRequester: boolean;
  readonly expiryMs: number;
  readonly protectedNamespaces: readonly string[];
  readonly breakGlass: readonly string[];
  readonly limits: PlanLimits;
};
