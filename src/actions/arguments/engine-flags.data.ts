/** One engine: what its command line looks like. Lists are names parted by blanks; from which version on and until which there is one stands in the flag table alone. */
export type EngineTable = {
  /** Flags that take one value; the first spelling of a group `a=b=c` is the one that is written. */
  readonly values: string;
  /** Flags that take any number of values. */
  readonly lists: string;
  /** Switches with a form that turns them off (`--no-x`). */
  readonly negatable: string;
  /** Switches that can only be left out. */
  readonly switches: string;
  /** How a new flag with a value is written. */
  readonly joint: '=' | ' ';
  /** Whether a later occurrence wins; where not, a second one is an error. */
  readonly lastWins: boolean;
  /** Whether an unambiguous beginning of a flag is understood (Python's argparse). */
  readonly abbreviates: boolean;
  /** The variable that sets the same as a flag, where the command line does not. */
  readonly variables: 'none' | 'upper-case' | Readonly<Record<string, string>>;
};

const PYTHON = { joint: '=', lastWins: true, abbreviates: true, variables: 'none' } as const;

// Names: sources of vLLM 0.1 - 0.29, SGLang 0.2 - 0.5, TGI 3.3.7, LMDeploy 0.16, trtllm-serve, tritonserver, llama.cpp.
export const ENGINE_TABLES: Readonly<Record<string, EngineTable>> = {
  vllm: {
    ...PYTHON,
    values: `--gpu-memory-utilization --kv-cache-memory-bytes --max-model-len --max-num-seqs
      --max-num-batched-tokens --block-size --kv-cache-dtype --swap-space --preemption-mode
      --cpu-offload-gb --offload-backend --offload-group-size --kv-offloading-size
      --kv-offloading-backend --kv-transfer-config --kv-events-config --max-cudagraph-capture-size
      --max-seq-len-to-capture --compilation-config=-cc --optimization-level=-O
      --prefix-caching-hash-algo --long-prefill-token-threshold --max-num-partial-prefills
      --quantization=-q --dtype --load-format --safetensors-load-strategy --max-parallel-loading-workers
      --tensor-parallel-size=-tp --pipeline-parallel-size=-pp --data-parallel-size=-dp
      --decode-context-parallel-size=-dcp --limit-mm-per-prompt --mm-processor-kwargs
      --mm-processor-cache-gb --mm-processor-cache-type --mm-shm-cache-max-object-size-mb
      --mm-encoder-tp-mode --num-gpu-blocks-override --max-loras --max-lora-rank
      --max-cpu-loras --max-logprobs --logprobs-mode --speculative-config --watermark
      --max-num-queued-reqs --max-num-queued-tokens --num-scheduler-steps --mamba-cache-mode
      --mamba-ssm-cache-dtype --attention-backend --api-server-count=-asc --config --model
      --tokenizer --revision --tokenizer-mode --download-dir --host --port --api-key --chat-template --seed
      --tool-call-parser --reasoning-parser --distributed-executor-backend --max-log-len --uvicorn-log-level
      --ssl-keyfile --ssl-certfile --root-path --task --runner --convert --hf-overrides --rope-scaling --rope-theta
      --tokenizer-revision --code-revision --guided-decoding-backend --override-generation-config --generation-config
      --worker-cls --node-rank --nnodes --master-addr --master-port --otlp-traces-endpoint --kaito-config-file
      --response-role --chat-template-content-format --model-impl --data-parallel-size-local --data-parallel-address
      --data-parallel-rpc-port --data-parallel-backend --device`,
    lists: `--cuda-graph-sizes --cudagraph-capture-sizes --kv-cache-dtype-skip-layers
      --served-model-name --lora-modules --allowed-origins --allowed-methods --allowed-headers --middleware
      --prompt-adapters`,
    negatable: `--enable-prefix-caching --enable-chunked-prefill --disable-hybrid-kv-cache-manager
      --async-scheduling --scheduler-reserve-full-isl --enable-log-requests`,
    switches: `--enforce-eager --calculate-kv-scales --enable-expert-parallel=-ep
      --disable-mm-preprocessor-cache --mm-encoder-only --language-model-only
      --skip-mm-profiling --disable-sliding-window --enable-sleep-mode --enable-cumem-allocator
      --enable-batch-sharded-sampling --kv-cache-metrics --disable-log-requests --disable-log-stats
      --trust-remote-code --enable-auto-tool-choice --enable-lora --enable-reasoning --disable-custom-all-reduce
      --headless --enable-dbo --enable-eplb --disable-frontend-multiprocessing --disable-uvicorn-access-log
      --enable-prompt-tokens-details --enable-server-load-tracking --return-tokens-as-token-ids
      --disable-cascade-attn --omni --use-v2-block-manager`,
  },
  sglang: {
    ...PYTHON,
    values: `--mem-fraction-static --max-running-requests --max-total-tokens --context-length --chunked-prefill-size
      --max-prefill-tokens --cuda-graph-max-bs=--cuda-graph-max-bs-decode --radix-eviction-policy --page-size
      --kv-cache-dtype --cpu-offload-gb --hicache-ratio --hicache-size --schedule-conservativeness
      --max-queued-requests --max-mamba-cache-size --mamba-full-memory-ratio
      --swa-full-tokens-ratio --tp-size=--tensor-parallel-size=--tp --dp-size=--data-parallel-size=--dp
      --pp-size=--pipeline-parallel-size --quantization --limit-mm-data-per-request --max-loras-per-batch
      --watchdog-timeout --retraction-policy --config --model-path=--model --served-model-name --host --port
      --dtype --tokenizer-path --nnodes --node-rank --dist-init-addr --attention-backend --log-level --random-seed
      --chat-template --tool-call-parser --reasoning-parser --load-format --api-key --schedule-policy --device`,
    lists: '--cuda-graph-bs=--cuda-graph-bs-decode --lora-paths',
    negatable: '',
    switches: `--disable-cuda-graph --enable-piecewise-cuda-graph --disable-radix-cache
      --enable-hierarchical-cache --disable-hybrid-swa-memory --enable-memory-saver --keep-mm-feature-on-device
      --enable-metrics --trust-remote-code --skip-server-warmup --enable-dp-attention --enable-torch-compile
      --disable-custom-all-reduce --enable-mixed-chunk --disable-overlap-schedule --log-requests --enable-lora`,
  },
  tgi: {
    joint: '=',
    lastWins: false,
    abbreviates: false,
    variables: 'upper-case',
    values: `--max-batch-prefill-tokens --max-batch-total-tokens --max-input-tokens=--max-input-length --max-total-tokens
      --max-concurrent-requests --max-batch-size --max-waiting-tokens --waiting-served-ratio --cuda-memory-fraction
      --cuda-graphs --num-shard --sharded --quantize --kv-cache-dtype --max-client-batch-size --payload-limit
      --lora-adapters --model-id --revision --dtype --hostname --port=-p --huggingface-hub-cache --max-best-of
      --max-stop-sequences --speculate --rope-scaling --rope-factor --validation-workers --master-port`,
    lists: '',
    negatable: '',
    switches: '--enable-prefill-logprobs --trust-remote-code --json-output --disable-custom-kernels --env',
  },
  lmdeploy: {
    ...PYTHON,
    values: `--cache-max-entry-count --session-len --max-batch-size --max-prefill-token-num --quant-policy
      --cache-block-seq-len --tp --dp --model-name --server-name --server-port --backend --dtype --log-level
      --model-format --chat-template --device --download-dir --revision --max-log-len`,
    lists: '--allow-origins --api-keys',
    negatable: '',
    switches: '--enable-prefix-caching --eager-mode --trust-remote-code --allow-terminate-by-client --enable-metrics',
  },
  'llama.cpp': {
    joint: ' ',
    lastWins: true,
    abbreviates: false,
    variables: {
      '--ctx-size': 'LLAMA_ARG_CTX_SIZE',
      '--n-gpu-layers': 'LLAMA_ARG_N_GPU_LAYERS',
      '--ubatch-size': 'LLAMA_ARG_UBATCH',
      '--batch-size': 'LLAMA_ARG_BATCH',
      '--cache-type-k': 'LLAMA_ARG_CACHE_TYPE_K',
      '--cache-type-v': 'LLAMA_ARG_CACHE_TYPE_V',
      '--parallel': 'LLAMA_ARG_N_PARALLEL',
      '--fit': 'LLAMA_ARG_FIT',
      '--cache-ram': 'LLAMA_ARG_CACHE_RAM',
    },
    values: `--ctx-size=-c --parallel=-np --n-gpu-layers=-ngl=--gpu-layers --ubatch-size=-ub --batch-size=-b
      --cache-type-k=-ctk --cache-type-v=-ctv --cache-ram=-cram --fit --fit-target --fit-ctx --n-cpu-moe=-ncmoe
      --flash-attn=-fa --model=-m --hf-repo=-hf=-hfr --hf-file=-hff --alias=-a --host --port --threads=-t
      --threads-batch=-tb --n-predict=-n=--predict --tensor-split=-ts --split-mode=-sm --main-gpu=-mg --mmproj=-mm
      --override-tensor=-ot --api-key --chat-template --timeout=-to --slot-save-path --seed=-s --temp`,
    lists: '',
    negatable: '',
    switches: `--no-mmap --mlock --no-kv-offload=-nkvo --cpu-moe=-cmoe --cont-batching=-cb --metrics --jinja --embedding
      --no-warmup --verbose=-v --slots --no-webui`,
  },
  'tensorrt-llm': {
    ...PYTHON,
    // Click: names with underscores as they stand, no abbreviations.
    abbreviates: false,
    values: `--max_batch_size --max_num_tokens --max_seq_len --max_beam_width --kv_cache_free_gpu_memory_fraction=--free_gpu_memory_fraction
      --tp_size --pp_size --ep_size --gpus_per_node --backend --host --port --tokenizer --log_level --num_postprocess_workers
      --extra_llm_api_options=--config --reasoning_parser`,
    lists: '',
    negatable: '',
    switches: '--trust_remote_code',
  },
  triton: {
    ...PYTHON,
    values: `--model-repository=--model-store --pinned-memory-pool-byte-size --cuda-memory-pool-byte-size --http-port
      --grpc-port --metrics-port --model-control-mode --load-model --backend-config --log-verbose --exit-timeout-secs
      --world_size --tensorrt_llm_model_name --model_repo --min-supported-compute-capability --rate-limit`,
    lists: '',
    negatable: '',
    switches: '',
  },
  ollama: { ...PYTHON, abbreviates: false, values: '', lists: '', negatable: '', switches: '' },
  nim: {
    ...PYTHON,
    variables: { '--max-model-len': 'NIM_MAX_MODEL_LEN' },
    values: '--max-model-len',
    lists: '',
    negatable: '',
    switches: '',
  },
};

/** Commands that are an engine: an executable with its subcommands, or a module that Python runs. Names are of the table above. */
export const ENGINE_HEADS: readonly { readonly engine: string; readonly words: readonly string[] }[] = [
  { engine: 'vllm', words: ['vllm', 'serve'] },
  { engine: 'vllm', words: ['-m', 'vllm.entrypoints.openai.api_server'] },
  { engine: 'vllm', words: ['-m', 'vllm.entrypoints.api_server'] },
  { engine: 'vllm', words: ['-m', 'vllm.entrypoints.cli.main', 'serve'] },
  { engine: 'vllm', words: ['-m', 'huggingfaceserver'] },
  { engine: 'vllm', words: ['inference_api.py'] },
  { engine: 'sglang', words: ['-m', 'sglang.launch_server'] },
  { engine: 'sglang', words: ['sglang', 'serve'] },
  { engine: 'tgi', words: ['text-generation-launcher'] },
  { engine: 'lmdeploy', words: ['lmdeploy', 'serve', 'api_server'] },
  { engine: 'lmdeploy', words: ['-m', 'lmdeploy', 'serve', 'api_server'] },
  { engine: 'lmdeploy', words: ['-m', 'lmdeploy.serve.openai.api_server'] },
  { engine: 'llama.cpp', words: ['llama-server'] },
  { engine: 'tensorrt-llm', words: ['trtllm-serve', 'serve'] },
  { engine: 'tensorrt-llm', words: ['trtllm-serve'] },
  { engine: 'triton', words: ['tritonserver'] },
  { engine: 'triton', words: ['launch_triton_server.py'] },
  { engine: 'ollama', words: ['ollama', 'serve'] },
];

/** Commands that run the command that follows them. */
export const WRAPPERS: ReadonlySet<string> = new Set(
  `exec nohup command env time sudo nice ionice numactl stdbuf tini dumb-init setsid taskset chrt timeout nsys uv
   torchrun mpirun opentelemetry-instrument ddtrace-run catchsegv xvfb-run gosu su-exec runuser entrypoint-wrapper`
    .trim()
    .split(/\s+/),
);

/** Commands whose words are a script or a command again: an engine in there is out of reach. */
export const NESTING: ReadonlySet<string> = new Set([
  'eval',
  'sh',
  'bash',
  'dash',
  'zsh',
  'ksh',
  'su',
  'ssh',
  'xargs',
  'watch',
  'script',
  'source',
  '.',
]);
