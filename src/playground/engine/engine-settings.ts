import type { EngineService } from './engine-service.ts';
import { MODELS, type Model } from './models.data.ts';

/** What an engine makes of its arguments. Amounts in GiB as given; shares run from 0 to 1. */
export type EngineSettings = {
  readonly model: Model;
  readonly modelName: string;
  readonly ranks: number;
  readonly maxModelLen: number;
  /** gpu-memory-utilization of vLLM, mem-fraction-static of SGLang. */
  readonly fraction: number;
  readonly sequences: number;
  /** Tokens per step; SGLang's chunked-prefill-size. */
  readonly stepTokens: number;
  readonly eager: boolean;
  readonly prefixCache: boolean;
  readonly kvBytes: 1 | 2;
  /** `pt` checkpoints are read into memory whole. */
  readonly readsEagerly: boolean;
  /** RAM for weights or KV cache per rank. */
  readonly offloadGib: number;
  /** What is offloaded are weights. */
  readonly weightsOffloaded: boolean;
  readonly apiServers: number;
  readonly imageCacheGib: number;
  readonly expandableSegments: boolean;
};

type Words = ReadonlyMap<string, string>;

/** Arguments of a container by flag; the last one wins, `_` counts as `-`, and a flag without a value is `true`. */
export function readFlags(args: readonly string[]): Words {
  const flags = new Map<string, string>();
  for (const [i, word] of args.entries()) {
    if (!word.startsWith('--')) continue;
    const [flag = '', value] = word.split(/=(.*)/s);
    const next = args[i + 1];
    flags.set(flag.replaceAll('_', '-'), value ?? (next === undefined || next.startsWith('--') ? 'true' : next));
  }
  return flags;
}

/** What the pod's container says now, whoever changed it. */
export type EngineInput = Pick<EngineService, 'engine' | 'gpu'> & {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly gpuGib: number;
};

/** Undefined for a model that nobody knows. */
export function settingsOf({ engine, args, env, gpuGib, gpu }: EngineInput): EngineSettings | undefined {
  const flags = readFlags(args);
  const modelName = flags.get(engine === 'vllm' ? '--model' : '--model-path') ?? '';
  const model = MODELS[modelName];
  if (model === undefined) return undefined;
  const number = (flag: string, otherwise: number): number => Number(flags.get(flag) ?? otherwise);
  const isOn = (flag: string): boolean => flags.has(flag) && flags.get(flag) !== 'false';
  const common = {
    model,
    modelName,
    ranks: number(engine === 'vllm' ? '--tensor-parallel-size' : '--tp-size', 1),
    kvBytes: flags.get('--kv-cache-dtype')?.startsWith('fp8') ? (1 as const) : (2 as const),
    readsEagerly: flags.get('--load-format') === 'pt',
    expandableSegments: /expandable_segments:True/i.test(
      `${env.PYTORCH_CUDA_ALLOC_CONF ?? ''} ${env.PYTORCH_ALLOC_CONF ?? ''}`,
    ),
  };
  if (engine === 'sglang') {
    return {
      ...common,
      maxModelLen: number('--context-length', model.maxLength),
      fraction: number('--mem-fraction-static', 0.88),
      sequences: number('--max-running-requests', 2048),
      stepTokens: number('--chunked-prefill-size', gpuGib > 60 ? 8192 : 2048),
      eager: isOn('--disable-cuda-graph'),
      prefixCache: !isOn('--disable-radix-cache'),
      offloadGib: number('--hicache-size', 0),
      weightsOffloaded: false,
      apiServers: 1,
      imageCacheGib: 0,
    };
  }
  // Defaults of vLLM 0.11's server (playbooks/engines/vllm/flags.yaml).
  const isLarge = gpuGib >= 70 && !gpu.startsWith('A100');
  return {
    ...common,
    maxModelLen: number('--max-model-len', model.maxLength),
    fraction: number('--gpu-memory-utilization', 0.9),
    sequences: number('--max-num-seqs', isLarge ? 1024 : 256),
    stepTokens: number('--max-num-batched-tokens', isLarge ? 8192 : 2048),
    eager: isOn('--enforce-eager'),
    prefixCache: !isOn('--no-enable-prefix-caching') && flags.get('--enable-prefix-caching') !== 'false',
    offloadGib: number('--cpu-offload-gb', 0) + number('--kv-offloading-size', 0),
    weightsOffloaded: flags.has('--cpu-offload-gb'),
    apiServers: number('--api-server-count', 1),
    imageCacheGib: model.imageBytes === undefined ? 0 : number('--mm-processor-cache-gb', 4),
  };
}
