import type { FactEntry } from '../../model/fact.ts';

/** Host memory that a start takes by its sums. */
export const RAM_START_FACTS: readonly FactEntry[] = [];
