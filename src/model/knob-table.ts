/** What bounds the memory of every engine, under one name. */
export type Knob = 'fraction' | 'length' | 'sequences' | 'batched-tokens';

// Server arguments: vllm/engine/arg_utils.py, sglang server_args.py, TGI launcher/src/main.rs, lmdeploy/cli/utils.py,
// llama.cpp common/arg.cpp, ollama envconfig/config.go, trtllm-serve (TensorRT-LLM tensorrt_llm/commands/serve.py).
const NAMES: Readonly<Record<string, Readonly<Partial<Record<Knob, string>>>>> = {
  vllm: {
    fraction: '--gpu-memory-utilization',
    length: '--max-model-len',
    sequences: '--max-num-seqs',
    'batched-tokens': '--max-num-batched-tokens',
  },
  sglang: {
    fraction: '--mem-fraction-static',
    length: '--context-length',
    sequences: '--max-running-requests',
    'batched-tokens': '--chunked-prefill-size',
  },
  tgi: {
    fraction: '--cuda-memory-fraction',
    length: '--max-total-tokens',
    // A semaphore of the router, in every version (router/src/infer). `--max-batch-size` is for hardware that can not run
    // unpadded, and from 2.4.0 no bound where prefill is chunked: what joins a running batch is not counted (backends/v3/src/backend.rs).
    sequences: '--max-concurrent-requests',
    'batched-tokens': '--max-batch-prefill-tokens',
  },
  lmdeploy: {
    fraction: '--cache-max-entry-count',
    length: '--session-len',
    sequences: '--max-batch-size',
    'batched-tokens': '--max-prefill-token-num',
  },
  'tensorrt-llm': {
    fraction: '--kv_cache_free_gpu_memory_fraction',
    length: '--max_seq_len',
    sequences: '--max_batch_size',
    'batched-tokens': '--max_num_tokens',
  },
  'llama.cpp': { length: '--ctx-size', sequences: '--parallel', 'batched-tokens': '--ubatch-size' },
  ollama: { length: 'OLLAMA_CONTEXT_LENGTH', sequences: 'OLLAMA_NUM_PARALLEL' },
};

const PLAIN = Object.entries(NAMES.vllm ?? {}) as [Knob, string][];

/** The knob that a playbook means by a flag: it writes vLLM's names, whatever engine it will meet. */
export function knobMeant(flag: string): Knob | undefined {
  return PLAIN.find(([, name]) => name === flag.replaceAll('_', '-'))?.[0];
}

/** The knob that a flag moves in an engine; undefined for any other flag. */
export function knobOf(engine: string, flag: string): Knob | undefined {
  const own = Object.entries(NAMES[engine] ?? {}) as [Knob, string][];
  return own.find(([, name]) => name === flag)?.[0];
}

/** What an engine calls a knob; undefined where it has none, or is not known. */
export function flagOfKnob(engine: string, knob: Knob): string | undefined {
  return NAMES[engine]?.[knob];
}

/** The knob that a flag moves in whichever engine has it: no two engines mean different knobs by one name. */
export function knobOfAny(flag: string): Knob | undefined {
  for (const engine of Object.keys(NAMES)) {
    const knob = knobOf(engine, flag);
    if (knob !== undefined) return knob;
  }
  return undefined;
}

/** What becomes of requests above the sequences of an engine: TGI lets no more in (router/src/server.rs), the others queue them. */
export function excessOf(engine: string): 'waits' | 'is refused' {
  return engine === 'tgi' ? 'is refused' : 'waits';
}
