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
  /** Weights per rank that stay in RAM, GiB. */
  readonly offloadGib: number;
  /** KV cache in RAM, GiB: pinned at the start, or filled as prompts come, per rank. */
  readonly pinnedKvGib: number;
  readonly kvCacheGib: number;
  readonly apiServers: number;
  readonly imageCacheGib: number;
  readonly expandableSegments: boolean;
  /** Compilers of kernels at once. */
  readonly compileJobs: number;
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
export function settingsOf(input: EngineInput): EngineSettings | undefined {
  const flags = readFlags(input.args);
  const modelName = flags.get(input.engine === 'vllm' ? '--model' : '--model-path') ?? '';
  const model = MODELS[modelName];
  if (model === undefined) return undefined;
  const { PYTORCH_CUDA_ALLOC_CONF = '', PYTORCH_ALLOC_CONF = '', MAX_JOBS = NINJA_JOBS } = input.env;
  const told: Told = {
    flags,
    number: (flag, otherwise) => Number(flags.get(flag) ?? otherwise),
    isOn: (flag) => flags.has(flag) && flags.get(flag) !== 'false',
    model,
    input,
  };
  return {
    model,
    modelName,
    kvBytes: flags.get('--kv-cache-dtype')?.startsWith('fp8') ? 1 : 2,
    readsEagerly: flags.get('--load-format') === 'pt',
    expandableSegments: /expandable_segments:True/i.test(`${PYTORCH_CUDA_ALLOC_CONF} ${PYTORCH_ALLOC_CONF}`),
    compileJobs: Number(MAX_JOBS),
    ...(input.engine === 'vllm' ? ofVllm(told) : ofSglang(told)),
  };
}

type Told = {
  readonly flags: Words;
  readonly number: (flag: string, otherwise: number) => number;
  readonly isOn: (flag: string) => boolean;
  readonly model: Model;
  readonly input: EngineInput;
};
type Common = 'model' | 'modelName' | 'kvBytes' | 'readsEagerly' | 'expandableSegments' | 'compileJobs';

// ninja runs two more jobs than the container has cores, here eight.
const NINJA_JOBS = '10';

// Defaults of vLLM 0.11's server (playbooks/engines/vllm/flags.yaml).
function ofVllm({ flags, number, isOn, model, input }: Told): Omit<EngineSettings, Common> {
  const isLarge = input.gpuGib >= 70 && !input.gpu.startsWith('A100');
  return {
    ranks: number('--tensor-parallel-size', 1),
    maxModelLen: number('--max-model-len', model.maxLength),
    fraction: number('--gpu-memory-utilization', 0.9),
    sequences: number('--max-num-seqs', isLarge ? 1024 : 256),
    stepTokens: number('--max-num-batched-tokens', isLarge ? 8192 : 2048),
    eager: isOn('--enforce-eager'),
    prefixCache: !isOn('--no-enable-prefix-caching') && flags.get('--enable-prefix-caching') !== 'false',
    offloadGib: number('--cpu-offload-gb', 0),
    pinnedKvGib: number('--kv-offloading-size', 0),
    kvCacheGib: Number(input.env.LMCACHE_MAX_LOCAL_CPU_SIZE ?? 0),
    apiServers: number('--api-server-count', 1),
    imageCacheGib: model.imageBytes === undefined ? 0 : number('--mm-processor-cache-gb', 4),
  };
}

// Defaults of SGLang 0.5 (playbooks/engines/sglang/flags.yaml).
function ofSglang({ number, isOn, model, input }: Told): Omit<EngineSettings, Common> {
  return {
    ranks: number('--tp-size', 1),
    maxModelLen: number('--context-length', model.maxLength),
    fraction: number('--mem-fraction-static', 0.88),
    sequences: number('--max-running-requests', 2048),
    stepTokens: number('--chunked-prefill-size', input.gpuGib > 60 ? 8192 : 2048),
    eager: isOn('--disable-cuda-graph'),
    prefixCache: !isOn('--disable-radix-cache'),
    offloadGib: 0,
    pinnedKvGib: number('--hicache-size', 0),
    kvCacheGib: 0,
    apiServers: 1,
    imageCacheGib: 0,
  };
}
