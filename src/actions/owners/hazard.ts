import type { Hazard } from '../../model/plan.ts';

/** A hazard that is told and stops nothing; `done` is what is done about it. */
export function note(id: string, says: string, done: string | null = null): Hazard {
  return { id, says, done, blocks: false };
}

/** A hazard for which nothing is written. */
export function obstacle(id: string, says: string): Hazard {
  return { id, says, done: null, blocks: true };
}
