import type { FactEntry } from '../../model/fact.ts';
import { Cause } from '../../model/taxonomy.ts';

/** The order of failures. */
export const SEQUENCE_FACTS: readonly FactEntry[] = [
  {
    id: 'sequence.order',
    unit: 'choice',
    values: ['gpu-then-host', 'host-then-gpu', 'unordered', 'one-plane', 'nothing-seen'],
    says: 'the memories that failed, in their order',
    needs: 'the log and the pod status, for the times of both failures',
  },
  {
    id: 'sequence.gpu-at',
    unit: 'time',
    says: 'where both failed: when GPU memory first did',
    needs: 'the time of that line',
  },
  {
    id: 'sequence.host-at',
    unit: 'time',
    says: 'where both failed: when RAM first did',
    needs: 'the time of that death or line',
  },
  {
    id: 'sequence.first-life',
    unit: 'choice',
    values: ['starting', 'serving'],
    says: 'of two failures the first one: what the engine was doing',
    needs: 'the log of the run that failed first',
  },
  {
    id: 'sequence.first-cause',
    unit: 'choice',
    values: [...Cause.options],
    says: 'of two failures the first one: the cause that its line names',
    needs: 'the log of the run that failed first',
  },
];
