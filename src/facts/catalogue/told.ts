import type { FactEntry } from '../../model/fact.ts';
import { PROBE_ANSWERS } from '../../read/cluster/probe-answer.ts';
import { EVENTS, LOG } from '../needs.ts';

/** What a line or an event names, for the sentence and the offer that speak of it. Most are known only where one names it. */
export const TOLD_FACTS: readonly FactEntry[] = [
  {
    id: 'death.probe-answer',
    unit: 'choice',
    values: [...PROBE_ANSWERS],
    says: 'what the probe that failed got for an answer',
    needs: EVENTS,
  },
  {
    id: 'ram.shm-size',
    unit: 'bytes',
    says: 'size of /dev/shm, by df in the container or by the volume there',
    needs: 'df -h /dev/shm in the container, or pod.json',
  },
  {
    id: 'gpu.hardware-fault',
    unit: 'yes-no',
    says: 'the line tells of a fault of the card itself, which no restart takes away',
    needs: LOG,
  },
];
