/** What a flag can take at all; bounds of a plan are narrower. */
export type Takes =
  | 'count'
  | 'count-with-suffix'
  | 'length-or-auto'
  | 'whole'
  | 'whole-or-off'
  | 'share'
  | 'positive'
  | 'amount'
  | 'memory';

// Types of the same sources as the flag table: vLLM arg_utils.py and config/, SGLang server_args.py, TGI launcher
// main.rs, LMDeploy cli/utils.py, llama.cpp common/arg.cpp, Ollama envconfig/config.go, trtllm-serve.
export const FLAG_VALUES: Readonly<Record<string, Readonly<Partial<Record<Takes, string>>>>> = {
  vllm: {
    share: '--gpu-memory-utilization',
    'length-or-auto': '--max-model-len',
    'count-with-suffix': '--max-num-batched-tokens --kv-cache-memory-bytes',
    count: `--max-num-seqs --block-size --max-seq-len-to-capture --num-gpu-blocks-override --max-num-partial-prefills
      --num-scheduler-steps --max-loras --max-lora-rank --max-cpu-loras --max-parallel-loading-workers
      --max-num-scheduled-tokens --tensor-parallel-size --pipeline-parallel-size --data-parallel-size`,
    whole: '--max-cudagraph-capture-size --long-prefill-token-threshold',
    'whole-or-off': '--max-logprobs',
    amount: '--swap-space --cpu-offload-gb --kv-offloading-size --mm-processor-cache-gb --watermark',
  },
  sglang: {
    share: '--mem-fraction-static',
    count: `--context-length --max-running-requests --max-total-tokens --max-prefill-tokens --page-size
      --max-queued-requests --cuda-graph-max-bs --cuda-graph-max-bs-decode --max-loras-per-batch --tp-size --pp-size
      --dp-size`,
    'whole-or-off': '--chunked-prefill-size',
    whole: '--max-mamba-cache-size',
    positive: '--hicache-ratio --mamba-full-memory-ratio --swa-full-tokens-ratio',
    amount: '--cpu-offload-gb --hicache-size --schedule-conservativeness',
  },
  tgi: {
    share: '--cuda-memory-fraction',
    count: `--max-input-tokens --max-input-length --max-total-tokens --max-batch-prefill-tokens --max-batch-total-tokens
      --max-concurrent-requests --max-batch-size --max-client-batch-size --num-shard`,
    whole: '--max-waiting-tokens',
    amount: '--waiting-served-ratio',
  },
  lmdeploy: {
    positive: '--cache-max-entry-count',
    count: '--session-len --max-batch-size --max-prefill-token-num --cache-block-seq-len --tp',
  },
  'tensorrt-llm': {
    share: '--kv_cache_free_gpu_memory_fraction --free_gpu_memory_fraction kv_cache_config.free_gpu_memory_fraction',
    count: '--max_batch_size --max_num_tokens --max_seq_len --max_beam_width max_batch_size max_num_tokens max_seq_len',
  },
  'llama.cpp': {
    count: '--ubatch-size -ub --batch-size -b',
    whole: '--ctx-size -c --n-cpu-moe -ncmoe',
    'whole-or-off': '--parallel -np --cache-ram -cram',
  },
  ollama: {
    whole: 'OLLAMA_CONTEXT_LENGTH OLLAMA_NUM_PARALLEL OLLAMA_MAX_LOADED_MODELS OLLAMA_MAX_QUEUE OLLAMA_GPU_OVERHEAD',
  },
  nim: { 'length-or-auto': '--max-model-len', count: 'NIM_MAX_MODEL_LEN' },
};
