import type { LogLine } from '../../standins/api-server/objects/world.ts';
import { type EngineCounts, type EngineStage, histogram } from './engine.ts';
import type { EngineService } from './engine-service.ts';
import type { EngineSettings } from './engine-settings.ts';
import type { GpuMemory } from './gpu-memory.ts';
import type { HostMemory } from './host-memory.ts';
import type { Request, Scheduler, SecondOfWork } from './scheduler.ts';

/** An engine while it runs, as its parts change it. Times are epoch ms. */
export type EngineState = {
  readonly service: EngineService;
  readonly settings: EngineSettings;
  readonly gpu: GpuMemory;
  readonly host: HostMemory;
  readonly hostLimit: number;
  /** Size of /dev/shm. */
  readonly sharedLimit: number;
  readonly startedAt: number;
  readonly log: LogLine[];
  readonly counts: EngineCounts;
  /** Requests that came since the last second. */
  inbox: Request[];
  now: number;
  stage: EngineStage;
  /** The kernel has ended the engine core, and the container goes on. */
  coreKilled: boolean;
  /** Since when no request can be scheduled. */
  stuckSince: number | undefined;
  scheduler: Scheduler | undefined;
  lastSecond: SecondOfWork | undefined;
  /** The KV pool, for the page of metrics. */
  blocks: number;
  /** Arguments by flag. */
  readonly flags: ReadonlyMap<string, string>;
};

const LENGTHS = [1, 10, 100, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000];
const SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300];

export function newCounts(): EngineCounts {
  return {
    finished: 0,
    rejected: 0,
    failed: 0,
    preempted: 0,
    promptTokens: 0,
    generatedTokens: 0,
    prompts: histogram(LENGTHS),
    outputs: histogram(LENGTHS),
    firstToken: histogram(SECONDS),
    latency: histogram(SECONDS),
  };
}

/** Keeps the log to what a node keeps of it: the first lines, which name the settings, and the last. */
export function write(state: EngineState, lines: readonly LogLine[]): void {
  state.log.push(...lines);
  if (state.log.length > LONGEST_LOG) state.log.splice(FIRST_LINES, state.log.length - LONGEST_LOG + 500);
}

const LONGEST_LOG = 6000;
const FIRST_LINES = 60;
