import type { ProcessExit } from '../../standins/api-server/life/container-process.ts';
import type { LogLine } from '../../standins/api-server/objects/world.ts';
import type { EngineSettings } from './engine-settings.ts';
import type { GpuMemory } from './gpu-memory.ts';
import type { HostMemory } from './host-memory.ts';
import type { Request, Scheduler, SecondOfWork } from './scheduler.ts';

export type EngineStage = 'waiting' | 'loading' | 'profiling' | 'capturing' | 'serving' | 'dead';

/** Requests counted since the process started, and samples of their lengths and times. */
export type EngineCounts = {
  finished: number;
  rejected: number;
  failed: number;
  preempted: number;
  promptTokens: number;
  generatedTokens: number;
  /** Prompt and output lengths in tokens, and times in ms, of the finished requests. */
  readonly prompts: Histogram;
  readonly outputs: Histogram;
  readonly firstToken: Histogram;
  readonly latency: Histogram;
};

export type Histogram = { readonly bounds: readonly number[]; readonly counts: number[]; sum: number; count: number };

export function histogram(bounds: readonly number[]): Histogram {
  return { bounds, counts: bounds.map(() => 0), sum: 0, count: 0 };
}

export function observe(into: Histogram, value: number): void {
  into.sum += value;
  into.count += 1;
  for (const [i, bound] of into.bounds.entries()) if (value <= bound) into.counts[i] = (into.counts[i] ?? 0) + 1;
}

/** One engine from its start to its end, in simulated time. */
export type Engine = {
  readonly settings: EngineSettings;
  readonly stage: EngineStage;
  readonly gpu: GpuMemory;
  readonly host: HostMemory;
  readonly hostLimit: number;
  /** Undefined until it serves. */
  readonly scheduler: Scheduler | undefined;
  readonly lastSecond: SecondOfWork | undefined;
  readonly counts: EngineCounts;
  /** Blocks of the KV pool; 0 before it is sized. */
  readonly blocks: number;
  readonly log: readonly LogLine[];
  isReady(): boolean;
  /** Hands over a request; a dead engine fails it. */
  offer(request: Request): void;
  run(now: number): ProcessExit | undefined;
};

/** What happens next in an engine: nothing for `waitMs`, or its end. */
export type Moment =
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'exit'; readonly reason: string; readonly exitCode: number };

export const wait = (ms: number): Moment => ({ kind: 'wait', ms });
