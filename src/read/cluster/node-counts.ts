import type { Cited } from '../../model/engine-reader.ts';
import type { PodEvidence } from './gather.ts';
import { GPU_RESOURCE, schedulingMessage } from './pending.ts';

/** How many nodes the scheduler looked at, and how many of them had too little of what the pod waits for. */
export type NodeCounts = { readonly nodes: Cited<number> | undefined; readonly without: Cited<number> | undefined };

// `0/6 nodes are available: 6 Insufficient nvidia.com/gpu.` (kubernetes/kubernetes pkg/scheduler/framework/types.go); what
// stands behind `preemption:` counts the same nodes again.
const LOOKED_AT = /\b0\/(\d{1,6}) nodes are available: ([^\n]{0,2000}?)(?:\bpreemption:|$)/;
const SHORT_OF = /(\d{1,6}) Insufficient (\S{1,80}?)[.,;]?(?=\s|$)/g;

/** Counted by the message of the scheduler, where it is there. */
export function readNodeCounts(evidence: PodEvidence): NodeCounts {
  const message = schedulingMessage(evidence);
  const [, all, reasons = ''] = LOOKED_AT.exec(message?.value ?? '') ?? [];
  if (message === undefined || all === undefined) return { nodes: undefined, without: undefined };
  const short = [...reasons.matchAll(SHORT_OF)].map(([, count, of = '']) => ({ count: Number(count), of }));
  const counted = short.find(({ of }) => GPU_RESOURCE.test(of)) ?? short.find(({ of }) => of === 'memory');
  return {
    nodes: { value: Number(all), from: message.from },
    without: counted && { value: counted.count, from: message.from },
  };
}
