import type { FactEntry } from '../../model/fact.ts';
import { LOG } from './needs.ts';

/** Host memory that a start takes by its sums. */
export const RAM_START_FACTS: readonly FactEntry[] = [
  {
    id: 'engine.lazy-weights',
    unit: 'yes-no',
    says: 'weights are mapped from safetensors files, so that loading them takes page cache and not private memory',
    needs: LOG,
  },
];
