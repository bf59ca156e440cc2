import type { Group } from '../draft.ts';

/**
 * What was asked for against the tokens of the step: of the step that was printed, else of the largest there can be where
 * prompts are cut into chunks. Then it is the least that it can have been. And the step that was printed against the largest.
 */
export function derivePerToken(): Group {
  return {};
}
