import type { FactEntry } from '../../model/fact.ts';
import { Cause } from '../../model/taxonomy.ts';
import { ARGS, LOG, METRICS } from './needs.ts';

const IDLE = 'series of memory and of what was served (Prometheus), with half an hour in which nothing was';

/** Load, the prefix cache, and the order of failures. */
export const LOAD_FACTS: readonly FactEntry[] = [
  { id: 'kv-cache.used-share', unit: 'share', says: 'KV pool in use', needs: METRICS },
  {
    id: 'kv-cache.refused',
    unit: 'yes-no',
    says: 'the line that decides tells that the KV pool itself had no room for what a request needed while serving; no allocation failed',
    needs: LOG,
  },
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
