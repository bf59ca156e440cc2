import type { FactEntry } from '../../model/fact.ts';
import { ARGS, LOG, METRICS, SERIES, SHAPES, STATUS } from './needs.ts';

/** Container RAM. */
export const RAM_FACTS: readonly FactEntry[] = [
  { id: 'ram.limit', unit: 'bytes', says: 'memory limit of the container', needs: STATUS },
  { id: 'ram.limited', unit: 'yes-no', says: 'the container has a memory limit', needs: STATUS },
  { id: 'ram.request', unit: 'bytes', says: 'memory request of the container', needs: STATUS },
  { id: 'ram.limit-equals-request', unit: 'yes-no', says: 'limit and request of memory are equal', needs: STATUS },
  {
    id: 'ram.used',
    unit: 'bytes',
    says: 'working set of the container just before the death, or now if it runs',
    needs: METRICS,
  },
  { id: 'ram.used-share', unit: 'share', says: 'working set against the limit', needs: METRICS },
  { id: 'ram.peak', unit: 'bytes', says: 'highest working set in the window', needs: SERIES },
  { id: 'ram.shape', unit: 'choice', values: SHAPES, says: 'shape of the working set over time', needs: SERIES },
  {
    id: 'ram.growth-noted',
    unit: 'yes-no',
    says: 'figures or notes in the snapshot tell of host memory that grows and does not come back',
    needs: SERIES,
  },
  {
    id: 'ram.rises',
    unit: 'yes-no',
    says: 'readings of host memory over hours, days or rounds of work only rose, by a third and more',
    needs: SERIES,
  },
  { id: 'ram.oom-logged', unit: 'yes-no', says: 'a line proves that host memory ran out', needs: LOG },
  {
    id: 'ram.monitor-killed',
    unit: 'yes-no',
    says: "Ray's own memory monitor ended a worker, not the kernel",
    needs: LOG,
  },
  {
    id: 'ram.equal-workers',
    unit: 'count',
    says: "workers of nearly one size that hold most of the RAM in use, by the list that Ray's monitor prints; 0 where others hold it",
    needs: LOG,
  },
  {
    id: 'ram.cache-kept',
    unit: 'yes-no',
    says: 'the log shows a cache of prompts or KV blocks in host memory at work',
    needs: LOG,
  },
  {
    id: 'ram.cache-overshot',
    unit: 'yes-no',
    says: 'the prompt cache in host memory held or took more than its own bound',
    needs: LOG,
  },
  { id: 'ram.shm-failed', unit: 'yes-no', says: 'shared memory (/dev/shm) could not be had', needs: LOG },
  {
    id: 'ram.shm-full',
    unit: 'yes-no',
    says: 'the line about shared memory says that its space ran out',
    needs: LOG,
  },
  {
    id: 'ram.shm-left-behind',
    unit: 'yes-no',
    says: 'files that a dead engine left in /dev/shm are still there',
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
    needs: `${ARGS}, and for swap space the version of vLLM`,
  },
  {
    id: 'ram.offload-bytes',
    unit: 'bytes',
    says: 'host memory that this may take, all ranks together',
    needs: ARGS,
  },
  {
    id: 'ram.offload-share',
    unit: 'share',
    says: 'host memory for offloading against the memory limit, or against the node where there is no limit',
    needs: 'the engine arguments and the memory limit',
  },
  {
    id: 'ram.staging-bytes',
    unit: 'bytes',
    says: 'host memory for the load where every rank reads whole files: one file in each rank at a time',
    needs: `${ARGS}, and the line that counts the files of the checkpoint`,
  },
  {
    id: 'ram.staging-most',
    unit: 'bytes',
    says: 'the same where every rank keeps the whole checkpoint until it is loaded',
    needs: ARGS,
  },
  {
    id: 'ram.start-bytes',
    unit: 'bytes',
    says: 'host memory that the start takes at the least: 1 GiB for each rank and API server, what is kept there, and one file of weights in each rank where files are read whole',
    needs: ARGS,
  },
  {
    id: 'ram.start-parts',
    unit: 'text',
    says: 'what that is made of',
    needs: ARGS,
  },
  {
    id: 'ram.not-counted',
    unit: 'text',
    says: 'what the start takes in RAM besides, of a size that is not known',
    needs: 'the start of the log',
  },
  {
    id: 'ram.start-share',
    unit: 'ratio',
    says: 'that against the memory limit, or against the node where there is no limit',
    needs: 'the engine arguments and the memory limit',
  },
];
