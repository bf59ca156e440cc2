import type { FactEntry } from '../../model/fact.ts';
import { LOG } from './needs.ts';

/** Host memory that a start takes by its sums. */
export const RAM_START_FACTS: readonly FactEntry[] = [];
