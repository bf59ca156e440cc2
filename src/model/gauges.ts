import type { MetricId } from './metric-table.ts';

/** What shows how full a pod is now. */
export const GAUGE_IDS = [
  'container.memory.working-set',
  'container.memory.limit',
  'gpu.framebuffer.used',
  'gpu.framebuffer.free',
  'gpu.framebuffer.total',
  'kv-cache.used-share',
  'requests.running',
  'requests.waiting',
] as const satisfies readonly MetricId[];
export type GaugeId = (typeof GAUGE_IDS)[number];

/** One sample of one pod, in the unit of the metric table. `part` is the container, the GPU, or the process it is about. */
export type GaugeSample = {
  readonly pod: string;
  readonly id: GaugeId;
  readonly part: string;
  readonly value: number;
};

/** Samples of some pods, or why there are none. */
export type GaugeRead =
  | { readonly kind: 'read'; readonly samples: readonly GaugeSample[] }
  | { readonly kind: 'unknown'; readonly why: string };

/** By whose metrics they are: those of a container, of a GPU, of the engine. */
export type GaugesRead = Readonly<Record<'container' | 'gpu' | 'engine', GaugeRead>>;
