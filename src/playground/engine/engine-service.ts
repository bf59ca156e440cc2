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
  /** Memory limit and request of the container: `64Gi`. */
  readonly memory: string;
  /** GiB of the GPU that another process holds, from this minute on. */
  readonly otherProcess?: { readonly gib: number; readonly fromMinute: number };
};
