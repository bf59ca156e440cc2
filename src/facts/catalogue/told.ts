import type { FactEntry } from '../../model/fact.ts';
import { LOG } from './needs.ts';

/** What a line or an event names, for the sentence and the offer that speak of it. Most are known only where one names it. */
export const TOLD_FACTS: readonly FactEntry[] = [
  {
    id: 'log.names-fraction',
    unit: 'yes-no',
    says: 'the error itself tells to lower the fraction of GPU memory',
    needs: LOG,
  },
];
