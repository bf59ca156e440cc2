import type { Group } from '../draft.ts';

/**
 * What people tried that let the same engine start: without graphs, or with a lower fraction than one that failed. It is told
 * by remarks alone.
 */
export function deriveTried(): Group {
  return {};
}

// Of several that differ nobody can tell which one failed.

// What fails without graphs as well fails in another step.

// Whichever word comes first: `starts, OOM some minutes later` has started.
