/** What an engine calls the knobs of memory, and how its fraction counts. */
export type Knobs = {
  readonly length?: string;
  readonly sequences?: string;
  readonly batched?: string;
  readonly fraction?: string;
  /** `total`: the pool grows by `slope` x card for each 1.0; `free`: a share of what is free after the weights; `none`: all that is left is for the context. */
  readonly fractionOf: 'total' | 'free' | 'none';
  readonly slope: number;
  /** Whether activations are taken from inside the fraction. */
  readonly activationsInside: boolean;
  /** Whether a start fails where the pool does not hold one sequence of the longest length. */
  readonly holdsLength: boolean;
  /** Whether a prompt has to fit into one forward pass; `by-version` where chunking came with a version. */
  readonly wholePrompts: 'no' | 'yes' | 'by-version';
  /** Whether a pass has to have a token for every sequence. */
  readonly rowsInPass: boolean;
  /** Flag that multiplies the context. */
  readonly contexts?: string;
  readonly kvDtype?: string;
  readonly tensorParallel?: string;
  readonly pipelineParallel?: string;
  readonly blockTokens: number;
};

const KNOBS: Readonly<Record<string, Knobs>> = {
  vllm: {
    length: '--max-model-len',
    sequences: '--max-num-seqs',
    batched: '--max-num-batched-tokens',
    fraction: '--gpu-memory-utilization',
    fractionOf: 'total',
    slope: 1,
    activationsInside: true,
    holdsLength: true,
    wholePrompts: 'by-version',
    rowsInPass: true,
    kvDtype: '--kv-cache-dtype',
    tensorParallel: '--tensor-parallel-size',
    pipelineParallel: '--pipeline-parallel-size',
    blockTokens: 16,
  },
  sglang: {
    length: '--context-length',
    sequences: '--max-running-requests',
    batched: '--chunked-prefill-size',
    fraction: '--mem-fraction-static',
    fractionOf: 'total',
    slope: 1,
    activationsInside: false,
    // It starts with a pool that is shorter, and refuses the request.
    holdsLength: false,
    wholePrompts: 'no',
    rowsInPass: false,
    kvDtype: '--kv-cache-dtype',
    tensorParallel: '--tp-size',
    pipelineParallel: '--pp-size',
    blockTokens: 1,
  },
  tgi: {
    length: '--max-total-tokens',
    sequences: '--max-concurrent-requests',
    batched: '--max-batch-prefill-tokens',
    fraction: '--cuda-memory-fraction',
    fractionOf: 'total',
    // TGI_WIGGLE_ROOM of the server.
    slope: 0.9,
    activationsInside: true,
    holdsLength: true,
    wholePrompts: 'yes',
    rowsInPass: false,
    kvDtype: '--kv-cache-dtype',
    tensorParallel: '--num-shard',
    blockTokens: 1,
  },
  lmdeploy: {
    length: '--session-len',
    sequences: '--max-batch-size',
    batched: '--max-prefill-token-num',
    fraction: '--cache-max-entry-count',
    fractionOf: 'free',
    slope: 1,
    activationsInside: false,
    holdsLength: true,
    wholePrompts: 'no',
    rowsInPass: false,
    tensorParallel: '--tp',
    blockTokens: 64,
  },
  'tensorrt-llm': {
    length: '--max_seq_len',
    sequences: '--max_batch_size',
    batched: '--max_num_tokens',
    fraction: '--kv_cache_free_gpu_memory_fraction',
    fractionOf: 'free',
    slope: 1,
    activationsInside: false,
    holdsLength: true,
    wholePrompts: 'no',
    rowsInPass: false,
    tensorParallel: '--tp_size',
    blockTokens: 32,
  },
  'llama.cpp': {
    length: '--ctx-size',
    sequences: '--parallel',
    batched: '--ubatch-size',
    fractionOf: 'none',
    slope: 1,
    activationsInside: true,
    holdsLength: true,
    wholePrompts: 'no',
    rowsInPass: false,
    kvDtype: '--cache-type-k',
    blockTokens: 1,
  },
  ollama: {
    length: 'OLLAMA_CONTEXT_LENGTH',
    sequences: 'OLLAMA_NUM_PARALLEL',
    fractionOf: 'none',
    slope: 1,
    activationsInside: true,
    holdsLength: true,
    wholePrompts: 'no',
    rowsInPass: false,
    contexts: 'OLLAMA_NUM_PARALLEL',
    kvDtype: 'OLLAMA_KV_CACHE_TYPE',
    blockTokens: 1,
  },
};

/** The knobs of an engine, by its name in the tables; undefined for one that no profile is for. */
export function knobsOf(engine: string): Knobs | undefined {
  return KNOBS[engine];
}

/** For an engine without a sum: the fraction is one of the card, and nothing can be proved. */
export const PLAIN_KNOBS: Knobs = {
  fractionOf: 'total',
  slope: 1,
  activationsInside: true,
  holdsLength: false,
  wholePrompts: 'no',
  rowsInPass: false,
  blockTokens: 16,
};
