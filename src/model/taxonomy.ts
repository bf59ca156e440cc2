import { z } from 'zod';

/** Which memory failed; `both` is both in sequence, `none` looks like memory and is not. Source: the project's incident taxonomy. */
export const Plane = z.enum(['host', 'gpu', 'both', 'none', 'unknown']);
export type Plane = z.infer<typeof Plane>;

/** When in the life of the process it happened; `n/a` for plane `none`, or where it cannot be told. */
export const Phase = z.enum(['startup', 'burst', 'chronic', 'prefix-cache', 'n/a']);
export type Phase = z.infer<typeof Phase>;

/** Words of a handover. */
export const Bucket = z.enum(['static', 'kv-cache', 'overhead', 'host', 'scheduling', 'other']);
export type Bucket = z.infer<typeof Bucket>;

const buckets = {
  'gpu.startup.weights': 'static',
  'gpu.startup.kv-room': 'kv-cache',
  'gpu.startup.profiling': 'overhead',
  'gpu.startup.graph-capture': 'overhead',
  'gpu.startup.shared-gpu': 'static',
  'gpu.startup.utilization': 'static',
  'gpu.startup.parallelism': 'static',
  'gpu.burst.long-context': 'kv-cache',
  'gpu.burst.concurrency': 'kv-cache',
  'gpu.burst.batched-tokens': 'overhead',
  'gpu.burst.multimodal': 'overhead',
  'gpu.burst.logits': 'overhead',
  'gpu.burst.headroom': 'overhead',
  'gpu.chronic.fragmentation': 'overhead',
  'gpu.chronic.leak': 'overhead',
  'gpu.prefix-cache': 'kv-cache',
  'host.startup.weight-staging': 'host',
  'host.startup.workers': 'host',
  'host.startup.limit': 'host',
  'host.burst.payload': 'host',
  'host.chronic.leak': 'host',
  'host.offload': 'host',
  'host.shm': 'host',
  'host.node-pressure': 'host',
  'none.gpu-fault': 'other',
  'none.probe-kill': 'scheduling',
  'none.comm': 'other',
  'none.driver': 'other',
  'none.config': 'other',
  'none.request-rejected': 'other',
  'none.preemption-warning': 'other',
  'none.scheduling': 'scheduling',
  'none.other': 'other',
  unknown: 'other',
} as const satisfies Record<string, Bucket>;

export type Cause = keyof typeof buckets;

/** The leaf of a verdict. */
export const Cause = z.enum(Object.keys(buckets) as [Cause, ...Cause[]]);

export function bucketOf(cause: Cause): Bucket {
  return buckets[cause];
}

/** The phase that the name of a cause holds, if any: `gpu.burst.logits` is burst. */
export function phaseOf(cause: Cause): Phase | undefined {
  if (cause.startsWith('none.')) return 'n/a';
  if (cause === 'gpu.prefix-cache') return 'prefix-cache';
  const word = cause.split('.')[1];
  return word === 'startup' || word === 'burst' || word === 'chronic' ? word : undefined;
}
