// Words of the lines as the engines print them, and names of their metrics (vllm/v1/worker, vllm/worker, sglang/srt/model_executor, text_generation_server).
const LINES: Readonly<Record<string, Partial<Record<FigureName, string>>>> = {
  vllm: {
    weightsBytes: 'the line "Model loading took … GiB"',
    activationBytes:
      'the line "Actual usage is … GiB for peak activation …" (V0: "PyTorch activation peak memory takes … GiB")',
    nonTorchBytes: 'the same line, "… GiB for non-torch memory" (V0: "non_torch_memory takes … GiB")',
    graphBytes: 'the line "Graph capturing finished in … secs, took … GiB"',
    kvAvailableBytes: 'the line "Available KV cache memory: … GiB"',
    kvTokens: 'the line "GPU KV cache size: … tokens", or vllm:cache_config_info in its metrics',
    maxModelLen: 'the argument --max-model-len, or "max_seq_len=" in the line "Initializing … engine … with config"',
  },
  sglang: {
    weightsBytes: 'the line "Load weight end. … mem usage=… GB", or sglang:weight_memory_usage_gb in its metrics',
    graphBytes: 'the line "Capture cuda graph end. … mem usage=… GB", or sglang:graph_memory_usage_gb in its metrics',
    loadFreeBytes:
      'the line "Load weight begin. avail mem=… GB", an OOM line of the log, the node labels or nvidia-smi',
    kvAvailableBytes:
      'the line "KV Cache is allocated. #tokens: …, K size: … GB, V size: … GB", or sglang:kv_cache_memory_usage_gb in its metrics',
    kvTokens:
      'the line "KV Cache is allocated. #tokens: …" or "max_total_num_tokens=…", or sglang:max_total_num_tokens in its metrics',
    maxModelLen: 'the argument --context-length, or "context_len=" at the end of the start',
  },
  tgi: {
    kvTokens: 'the line "Setting max batch total tokens to …", or tgi_batch_max_total_tokens in its metrics',
    maxModelLen: 'the argument --max-total-tokens',
  },
};

const ANY = {
  totalBytes: 'an OOM line of the log, the node labels or nvidia-smi',
  freeAtStartBytes: 'the line of the free-memory check at the start',
  freeAfterBytes: 'a line of the engine at the end of its start',
  loadFreeBytes: 'the start of the log',
  weightsBytes: 'the start of the log, or a model whose parameters are known',
  activationBytes: 'the start of the log',
  nonTorchBytes: 'the start of the log',
  graphBytes: 'the start of the log',
  kvAvailableBytes: 'the start of the log',
  kvNeededBytes: 'a line with the size of the KV cache in GiB and in tokens, or a model whose shape is known',
  kvTokens: 'the start of the log',
  kvBlocks: 'the start of the log',
  maxModelLen: 'the engine arguments (pod.json, args.txt or the start of the log)',
  maxSeqs: 'the engine arguments (pod.json, args.txt or the start of the log)',
  leastFraction: 'the line in which the engine names the least fraction',
  loweredFraction: 'the OOM line of the log, with the engine arguments',
  estimatedMaxLen: 'the line in which the engine refuses for want of KV room',
  blockTokens: 'the start of the log',
  model: 'the engine arguments (pod.json, args.txt or the start of the log)',
  usedShare: 'metrics.txt or Prometheus',
  running: 'metrics.txt or Prometheus',
} as const;

export type FigureName = keyof typeof ANY;

/** Where a figure would stand, for someone who goes and looks. */
export function lineOf(engine: string, figure: FigureName): string {
  return LINES[engine]?.[figure] ?? ANY[figure];
}

const NAMES: Readonly<Partial<Record<FigureName, string>>> = {
  totalBytes: 'the memory of the GPU',
  loadFreeBytes: 'what was free before the load',
  weightsBytes: 'the weights',
  kvAvailableBytes: 'the size of the KV cache',
  kvNeededBytes: 'the KV bytes of a token',
  maxSeqs: 'the sequences of a batch',
  usedShare: 'the KV use',
  running: 'the running requests',
};

/** A missing figure with the place where it would stand. */
export function missing(engine: string, figure: FigureName): string {
  return `${NAMES[figure] ?? figure} (${lineOf(engine, figure)})`;
}
