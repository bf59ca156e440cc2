import type { FactEntry } from '../../model/fact.ts';
import { ARGS, LOG, METRICS, NODE, SERIES, SHAPES, STATUS } from '../needs.ts';

/** Container RAM. */
export const RAM_FACTS: readonly FactEntry[] = [
  { id: 'ram.limit', unit: 'bytes', says: 'memory limit of the container', needs: STATUS },
  {
    id: 'ram.limit-of-node',
    unit: 'ratio',
    says: 'memory limit of the container against the memory of its node that pods may use',
    needs: NODE,
  },
  { id: 'ram.limited', unit: 'yes-no', says: 'the container has a memory limit', needs: STATUS },
  { id: 'ram.request', unit: 'bytes', says: 'memory request of the container', needs: STATUS },
  {
    id: 'ram.used',
    unit: 'bytes',
    says: 'RAM in use by the container just before the death, or now if it runs',
    needs: METRICS,
  },
  { id: 'ram.used-share', unit: 'share', says: 'RAM in use by the container, against its limit', needs: METRICS },
  { id: 'ram.peak', unit: 'bytes', says: 'highest RAM in use by the container', needs: SERIES },
  { id: 'ram.shape', unit: 'choice', values: SHAPES, says: 'RAM in use by the container over time', needs: SERIES },
  { id: 'ram.oom-logged', unit: 'yes-no', says: 'a line proves that host memory ran out', needs: LOG },
  {
    id: 'ram.monitor-killed',
    unit: 'yes-no',
    says: "Ray's own memory monitor ended a worker, not the kernel",
    needs: LOG,
  },
  { id: 'ram.hook-killed', unit: 'yes-no', says: 'a hook was killed before the container started', needs: LOG },
  {
    id: 'ram.cache-kept',
    unit: 'yes-no',
    says: 'the log shows a cache of prompts or KV blocks in host memory at work',
    needs: LOG,
  },
  {
    id: 'ram.prompt-cache-presses',
    unit: 'yes-no',
    says: 'the cache of prompts in host memory is full or nearly so, has no bound, or was just saving one more',
    needs: LOG,
  },
  {
    id: 'ram.shm-full',
    unit: 'yes-no',
    says: 'the line about shared memory says that its space ran out',
    needs: LOG,
  },
  {
    id: 'ram.shm-left-behind',
    unit: 'yes-no',
    says: 'files of an engine lie in /dev/shm, as one that ended hard leaves them',
    needs: 'a listing of /dev/shm in the container',
  },
  {
    id: 'ram.swap-blocks',
    unit: 'count',
    says: 'KV blocks that the engine (V0 of vLLM) keeps in pinned RAM as swap space',
    needs: LOG,
  },
  {
    id: 'ram.offload-configured',
    unit: 'yes-no',
    says: 'the engine was told to keep weights, KV blocks or prompt caches in host memory',
    saysNot: 'the engine was told to keep neither weights nor caches in host memory',
    needs: `${ARGS}, and the version of vLLM (for its swap space)`,
  },
  {
    id: 'ram.offload-static',
    unit: 'yes-no',
    says: 'all of that is weights or swap space: taken once, and it does not grow',
    needs: `${ARGS}, and the log for what slept`,
  },
  {
    id: 'ram.offload-bytes',
    unit: 'bytes',
    says: 'host memory that offloading and caches may take, all ranks together',
    needs: ARGS,
  },
  {
    id: 'ram.offload-share',
    unit: 'share',
    says: 'host memory that offloading and caches may take, against the memory limit (or the node, where there is no limit)',
    needs: 'the engine arguments and the memory limit',
  },
];
