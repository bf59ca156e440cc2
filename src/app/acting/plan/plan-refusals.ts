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
  'What was seen of this incident is not stored any more, or names no owner of the pod.',
  'Run `triage` on the pod again: nothing is changed without stored evidence.',
);

/** The finding has nothing for a button. */
export const NOTHING_OFFERED = refused(
  'This finding offers nothing that a button could do.',
  'Name the action: `plan <incident> scale-to-zero`, or do what the card says under what to do next.',
);

/** Acting is not configured there. */
export function notAllowed({ cluster }: PlanTarget): PlanRefused {
  const says = `Changes are not allowed in cluster ${cluster}.`;
  return refused(says, 'The platform team allows them under `clusters[].acting`.');
}

/** The workload could not be read as it stands. */
export function notReadable(
  { object }: PlanTarget,
  read: Exclude<Awaited<ReturnType<ActingCluster['read']>>, { kind: 'found' }>,
): PlanRefused {
  const name = `${object.kind}/${object.name}`;
  if (read.kind === 'gone') {
    return refused(`${name} is gone since the triage.`, 'Run `triage` again on a pod that is there.');
  }
  if (read.kind === 'forbidden') {
    return refused(`There is no right to read ${name}.`, 'Have this granted:', read.rule);
  }
  return refused(`${name} could not be read: ${read.why}.`, 'Ask again in a minute; nothing was changed.');
}
