/** New instances of an engine die, unless their arguments tell otherwise. */
export type CrashRule = {
  /** How long an instance runs. Longer than the load time: it serves first. */
  readonly afterMs: number;
  readonly reason: string;
  readonly exitCode: number;
  readonly log: readonly string[];
  /** Only instances whose arguments do not hold this text, as `--max-model-len 8192`. */
  readonly unlessArgs?: string | undefined;
};

/** How pods live here; may be changed while they do. */
export type LifeSettings = {
  /** From the start of an engine until it serves. */
  loadMs: number;
  /** From the wish that a pod goes until it is gone. */
  terminateMs: number;
  /** Pods that find room at once; the others wait unscheduled. */
  gpus: number | undefined;
  crash: CrashRule | undefined;
  /** What an engine writes as it starts. */
  log: readonly string[];
};
