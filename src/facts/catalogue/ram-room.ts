import type { FactEntry } from '../../model/fact.ts';

/** The room for a container's RAM: what changed its limit, and what else takes part of it. */
export const RAM_ROOM_FACTS: readonly FactEntry[] = [
  {
    id: 'ram.limit-before',
    unit: 'bytes',
    says: 'memory limit before it was lowered while the container ran',
    needs: 'a series of the memory limit (Prometheus), and the times of the pod status',
  },
  {
    id: 'ram.lowered-onto',
    unit: 'ratio',
    says: 'what was in use when the limit was lowered, against the new limit',
    needs: 'series of the memory limit, or an event of the resize, and of the working set (Prometheus)',
  },
];
