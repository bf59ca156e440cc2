import type { Click, ClickOutcome } from '../../app/acting-ports.ts';
import type { Plan } from '../../model/plan.ts';

export type RefusalWhy = Extract<ClickOutcome, { kind: 'refused' }>['why'];

const ENDED: Readonly<Record<Exclude<Plan['state'], 'proposed'>, RefusalWhy>> = {
  used: 'already-used',
  rejected: 'already-rejected',
  expired: 'expired',
  replaced: 'replaced',
};

/**
 * Why a click is refused, or undefined where it counts. A rejection takes nothing but an open plan. Breaking the glass
 * lifts the bar on the requester, who may be the only one awake, but no pause, and it never makes a workload free.
 */
export function refusalOf(
  plan: Plan,
  click: Click,
  now: { readonly at: number; readonly paused: boolean; readonly busy: boolean },
): RefusalWhy | undefined {
  if (plan.state !== 'proposed') return ENDED[plan.state];
  if (click.hash !== plan.hash) return 'changed';
  if (now.at >= plan.expiresAt) return 'expired';
  if (click.decision === 'reject') return undefined;
  if (click.barRequester && click.breakGlass === null && click.who === plan.proposedBy) return 'own-plan';
  if (now.paused) return 'paused';
  return now.busy ? 'busy' : undefined;
}
