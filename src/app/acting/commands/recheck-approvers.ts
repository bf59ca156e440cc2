import { authorise } from '../../../model/authorise.ts';
import type { Plan } from '../../../model/plan.ts';
import type { ActStore, Doubt } from '../../acting-ports.ts';
import type { Groups } from '../../ports.ts';
import { type PermitDeps, targetOf } from './permit.ts';

export type RecheckDeps = Pick<PermitDeps, 'rights' | 'settings'> & {
  readonly acts: Pick<ActStore, 'approvals'>;
  /** The groups of a person among those that may act; none where it is left out. */
  readonly groupsOf?: ((user: string) => Promise<Groups>) | undefined;
};

/**
 * Those who have said yes to a plan before and may no longer, by the same rules as at their click, or of whom it cannot
 * be told now. Asked at every yes: two that come at once each see fewer than complete the count.
 */
export async function recheckApprovers(deps: RecheckDeps, plan: Plan, clicker: string): Promise<readonly Doubt[]> {
  const said = await deps.acts.approvals(plan.id);
  const earlier = said.filter(({ who, decision }) => decision === 'approve' && who !== clicker);
  const doubts = await Promise.all(earlier.map(({ who }) => doubtAbout(deps, plan, who)));
  return doubts.filter((doubt) => doubt !== undefined);
}

async function doubtAbout(
  { rights, settings, groupsOf }: RecheckDeps,
  plan: Plan,
  who: string,
): Promise<Doubt | undefined> {
  if (settings.barRequester && who === plan.proposedBy) {
    return { who, kind: 'lapsed', why: 'requesters can no longer approve their own plans' };
  }
  const groups = await groupsOf?.(who);
  // To act it does not matter from where one asks.
  const from = { place: 'slack' as const, channel: '', externallyShared: false };
  const permission = authorise(
    rights,
    { ...from, user: who, groups: [...(groups?.in ?? [])] },
    'approve',
    targetOf(plan),
  );
  if (permission.kind === 'allowed') return undefined;
  if (groups?.unknown !== undefined) {
    return { who, kind: 'unknown', why: `Slack did not return the members of the approver groups (${groups.unknown})` };
  }
  const { namespace } = plan.target.object;
  return { who, kind: 'lapsed', why: `may no longer approve ${plan.action} in ${namespace}` };
}
