import type { PlanTarget } from '../../../model/plan.ts';
import type { ActingCluster } from '../../acting-ports.ts';

/** Why there is no plan. `paste` is what a person can do by hand. */
export type PlanRefused = {
  readonly kind: 'refused';
  readonly says: string;
  readonly next: string;
  readonly paste: string | null;
};

/** No plan, and what to do instead. */
export function refused(says: string, next: string, paste: string | null = null): PlanRefused {
  return { kind: 'refused', says, next, paste };
}

/** The evidence is gone. */
export const NO_EVIDENCE = refused(
  'The evidence of this incident was deleted, or shows no owner of the pod.',
  'Run `triage` on the pod again. oombot changes nothing without stored evidence.',
);

/** The finding has nothing for a button. */
export const NOTHING_OFFERED = refused(
  'This finding has no automatic action.',
  'Name one, such as `plan <incident> scale-to-zero`, or follow “Do now” on the card.',
);

/** Acting is not configured there. */
export function notAllowed({ cluster }: PlanTarget): PlanRefused {
  const says = `Changes are not allowed in cluster ${cluster}.`;
  return refused(says, 'Ask the platform team to allow them under `clusters[].acting`.');
}

/** The current workload is not readable. */
export function notReadable(
  { object }: PlanTarget,
  read: Exclude<Awaited<ReturnType<ActingCluster['read']>>, { kind: 'found' }>,
): PlanRefused {
  const name = `${object.kind}/${object.name}`;
  if (read.kind === 'gone') {
    return refused(`${name} was deleted after the triage.`, 'Run `triage` again on a running pod.');
  }
  if (read.kind === 'forbidden') {
    return refused(`oombot has no permission to read ${name}.`, 'Add this RBAC rule:', read.rule);
  }
  return refused(`Cannot read ${name}: ${read.why}.`, 'Nothing was changed. Try again in a minute.');
}
