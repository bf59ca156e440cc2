import type { FactEntry } from '../../model/fact.ts';
import { ARGS, METRICS } from '../needs.ts';

const IDLE = 'series of memory and of what was served (Prometheus), with half an hour in which nothing was';

/** Load, the prefix cache, and the order of failures. */
export const LOAD_FACTS: readonly FactEntry[] = [
  { id: 'kv-cache.used-share', unit: 'share', says: 'KV pool in use', needs: METRICS },
  {
    id: 'kv-cache.block-tokens',
    unit: 'tokens',
    says: 'tokens in one block of the KV pool (a hybrid model makes blocks large)',
    needs: 'the start of the log, or the metrics of the engine',
  },
  {
    id: 'kv-cache.slots-per-want',
    unit: 'ratio',
    says: 'free slots of the pool, against those that were refused (far above 1 the books of the pool do not balance)',
    needs: 'the lines after the refusal in the log',
  },
  { id: 'requests.running', unit: 'count', says: 'requests in the batch', needs: METRICS },
  { id: 'requests.waiting', unit: 'count', says: 'requests in the queue', needs: METRICS },
  { id: 'preemptions.recent', unit: 'count', says: 'preemptions in the window', needs: METRICS },
  {
    id: 'prefix-cache.enabled',
    unit: 'yes-no',
    says: 'prefix caching is on',
    saysNot: 'prefix caching is off',
    needs: ARGS,
  },
  {
    id: 'prefix-cache.blocks-held',
    unit: 'yes-no',
    says: 'the log shows blocks of the prefix cache that stay although a request needs memory',
    needs: 'the use of the KV pool with running and waiting requests (lines of the log before the failure, or metrics)',
  },
  {
    id: 'ram.grows-idle',
    unit: 'yes-no',
    says: 'RAM in use went on growing while nothing was served',
    needs: IDLE,
  },
  {
    id: 'gpu.grows-idle',
    unit: 'yes-no',
    says: 'GPU memory in use went on growing while nothing was served, or from one sleep of the engine to the next',
    needs: IDLE,
  },
];
