import type { FactEntry } from '../../model/fact.ts';
import { LOG } from '../needs.ts';

/** What a line or an event names, for the sentence and the offer that speak of it. Most are known only where one names it. */
export const TOLD_FACTS: readonly FactEntry[] = [
  { id: 'evidence.named', unit: 'text', says: 'what the line that decides means, in its first words', needs: LOG },
];
