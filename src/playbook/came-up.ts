import type { Facts } from '../model/fact.ts';
import type { Phase } from '../model/taxonomy.ts';
import type { Remedy } from '../model/verdict.ts';

/** Whether the start that failed has been made good since: the container was started again and is ready. */
export function hasComeUp(phase: Phase, facts: Facts): boolean {
  const up = facts.get('instance.came-up');
  return phase === 'startup' && up?.kind === 'known' && up.value === true;
}

export const CAME_UP =
  'The container was started again and is ready now. Compare what it runs with today with what failed before you change anything.';

/** What is left to do then: nothing bleeds, and what answers the failed arguments may undo what cured them. */
export function stillOfUse(remedies: readonly Remedy[]): Remedy[] {
  return remedies.filter(({ kind }) => kind === 'lasting');
}
