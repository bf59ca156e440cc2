import type { FactEntry } from '../../model/fact.ts';
import { PROBE_ANSWERS } from '../pod/probe-answer.ts';
import { ARGS, EVENTS, LOG, SERIES } from './needs.ts';

const READING = {
  unit: 'text',
  says: 'the last reading of that growth, as it stands',
  onlyWhere: 'it was measured',
} as const;

/** What a line or an event names, for the sentence and the offer that speak of it. Most are known only where one names it. */
export const TOLD_FACTS: readonly FactEntry[] = [
  { id: 'pod.nodes', unit: 'count', says: 'nodes that the scheduler looked at for the pod', needs: EVENTS },
  {
    id: 'pod.nodes-without',
    unit: 'count',
    says: 'nodes among them that had too few of the GPUs, or too little of the memory, that it asks for',
    needs: EVENTS,
  },
  {
    id: 'death.probe-answer',
    unit: 'choice',
    values: [...PROBE_ANSWERS],
    says: 'what the probe that failed got for an answer',
    needs: EVENTS,
  },
  {
    id: 'death.evicted-volume',
    unit: 'text',
    says: 'the volume that ran over its limit, for which the pod was evicted',
    needs: EVENTS,
  },
  { id: 'death.evicted-volume-limit', unit: 'text', says: 'the sizeLimit of that volume', needs: EVENTS },
  {
    id: 'ram.shm-size',
    unit: 'bytes',
    says: 'size of /dev/shm, by df in the container or by the volume there',
    needs: 'df -h /dev/shm in the container, or pod.json',
  },
  {
    id: 'ram.service',
    unit: 'text',
    says: 'service of systemd that was killed for want of RAM',
    needs: LOG,
  },
  { id: 'ram.service-peak', unit: 'bytes', says: 'the most RAM that the service held, by systemd', needs: LOG },
  {
    id: 'ram.layers-left',
    unit: 'text',
    says: 'layers that the engine plans to keep in RAM (Ollama)',
    needs: LOG,
  },
  { id: 'ram.growth-reading', ...READING, needs: SERIES },
  { id: 'gpu.growth-reading', ...READING, needs: SERIES },
  {
    id: 'gpu.hardware-fault',
    unit: 'yes-no',
    says: 'the line tells of a fault of the card itself, which no restart takes away',
    needs: LOG,
  },
  {
    id: 'kv-cache.pool-tokens',
    unit: 'tokens',
    says: 'size of the KV pool by what is in use of it (SGLang)',
    needs: LOG,
  },
  {
    id: 'step.prompt-logprobs',
    unit: 'text',
    says: 'request of the pass that failed that asks for log-probabilities of its prompt',
    needs: 'the scheduler dump that the engine prints when it dies',
  },
  {
    id: 'log.names-fraction',
    unit: 'yes-no',
    says: 'the error itself tells to lower the fraction of GPU memory',
    needs: LOG,
  },
  { id: 'evidence.named', unit: 'text', says: 'what the line that decides means, in its first words', needs: LOG },
  { id: 'evidence.more', unit: 'text', says: 'what it means beside these words', needs: LOG },
  {
    id: 'engine.asked-otherwise',
    unit: 'text',
    says: 'settings of which the engine says another value than it was asked for',
    onlyWhere: 'there are such',
    needs: `${ARGS}, and ${LOG}`,
  },
];
