import type { KubeObject } from '../../standins/api-server/objects/world.ts';

/** A model service of the simulated cluster: a workload of engine pods, each on GPUs of its own. */
export type EngineService = {
  readonly name: string;
  readonly namespace: string;
  readonly engine: 'vllm' | 'sglang';
  /** `0.11.0`; the log has the form of this version. */
  readonly version: string;
  readonly kind: 'Deployment' | 'StatefulSet';
  readonly replicas: number;
  /** Key of MODELS and of GPUS. */
  readonly model: string;
  readonly gpu: string;
  /** As in the pod template, the model left out: `['--max-model-len', '32768']`. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** GPUs of the container; one unless told. */
  readonly gpus?: number;
  /** Memory limit and request of the container: `64Gi`. */
  readonly memory: string;
  /** Size of a volume in memory at /dev/shm: `8Gi`; without one the container has the 64 MiB of its runtime. */
  readonly sharedMemory?: string;
  /** RAM of the node, and what other pods take of it from a minute of the scenario on, GiB. */
  readonly node?: { readonly ramGib: number; readonly othersGib: number; readonly fromMinute: number };
  /**
   * Another process on the GPU: how many GiB it holds, from when to when, in minutes of the
   * scenario, and on the GPUs of how many pods, the first ones; of all unless told.
   */
  readonly otherProcess?: {
    readonly gib: number;
    readonly fromMinute: number;
    readonly toMinute?: number;
    readonly pods?: number;
  };
  readonly faults?: EngineFaults;
  /** Of the workload, and objects next to it: an autoscaler, an Argo CD Application. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly objects?: readonly KubeObject[];
};

/** What is wrong with this version of the engine, or in its surroundings. */
export type EngineFaults = {
  /** Memory that is allocated and never freed, whether or not anybody asks. */
  readonly gpuLeakGibPerHour?: number;
  readonly ramLeakGibPerHour?: number;
  /** The leaks above need this flag: without it nothing leaks. */
  readonly whileFlag?: string;
  /** Reserved by the allocator in useless pieces per hour of serving; none with expandable segments. */
  readonly fragmentsGibPerHour?: number;
  /** Share of the blocks of finished requests that the prefix cache never frees. */
  readonly pinnedCacheShare?: number;
  /** The batch dies of a full KV pool, as in versions that miscount its blocks. */
  readonly miscountsBlocks?: boolean;
  /** RAM for the decoded media of each request in the engine, MiB. */
  readonly payloadMib?: number;
  /** What a killed process leaves in /dev/shm until the pod goes. */
  readonly sharedMemoryLeftGib?: number;
  /** A watchdog in the container asks for a completion, and ends it after so many seconds without an answer. */
  readonly watchdogSeconds?: number;
  /** A dead engine core is started again in the same container, while the old one still holds its RAM. */
  readonly reloadsCore?: boolean;
  /** The container does not end with an engine core that failed to start, or that the kernel killed alone. */
  readonly hangsAfterFailure?: boolean;
  /** How long the GPU memory of a killed process stays taken. */
  readonly gpuHeldSeconds?: number;
  /** The API server goes on without its engine core: the pod stays Ready. */
  readonly outlivesCore?: boolean;
  /** The liveness probe ends a start that takes longer than this. */
  readonly livenessSeconds?: number;
  /** Kernels are compiled at each start: RAM of one compiler, GiB. MAX_JOBS says how many run at once. */
  readonly compilerGib?: number;
  /** Seconds that the weights take to read, instead of what a local disk takes. */
  readonly loadSeconds?: number;
};
