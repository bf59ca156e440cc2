/** How hard an engine works, as it prints it. */
export type Load = { readonly running: number; readonly waiting: number; readonly pool: number };

/** One engine as it prints itself when all is well: its start line by line, its work, and its last words on SIGTERM. */
export type HealthyEngine = {
  readonly name: string;
  /** As incident.json may name it, where that is another name. */
  readonly called?: string;
  readonly image: (version: string) => string;
  readonly versions: readonly string[];
  readonly command: readonly string[];
  readonly start: (version: string, weightsGib: string) => readonly string[];
  readonly ready: readonly string[];
  readonly work: (load: Load, clock: string) => readonly string[];
  readonly stop: readonly string[];
  /** A log of requests that prints what a user wrote. */
  readonly prompt: (words: string) => string;
  readonly metrics?: (load: Load) => string;
};

const words = (line: string): readonly string[] => line.split(' ');
const percent = (share: number): string => (share * 100).toFixed(1);
const OK = 'INFO:     10.0.0.7:58280 - "POST /v1/chat/completions HTTP/1.1" 200 OK';
const UVICORN_STOP = [
  'INFO:     Shutting down',
  'INFO:     Waiting for application shutdown.',
  'INFO:     Application shutdown complete.',
  'INFO:     Finished server process [1]',
];
const PYTHON_LEAK =
  '/usr/lib/python3.12/multiprocessing/resource_tracker.py:254: UserWarning: resource_tracker: There appear to be 1 leaked shared_memory objects to clean up at shutdown';

const vllmV0: HealthyEngine = {
  name: 'vllm V0',
  called: 'vllm',
  image: (version) => `vllm/vllm-openai:v${version}`,
  versions: ['0.5.5', '0.6.6', '0.7.3', '0.8.5'],
  command: words('--model acme/falcon-9b --max-model-len 32768 --gpu-memory-utilization 0.95'),
  start: (version, gib) => [
    `INFO 02-17 19:15:01 api_server.py:586] vLLM API server version ${version}`,
    "INFO 02-17 19:15:01 api_server.py:587] args: Namespace(host='0.0.0.0', port=8000, model='acme/falcon-9b', max_model_len=32768, gpu_memory_utilization=0.95, swap_space=4, enforce_eager=False)",
    `INFO 02-17 19:15:09 llm_engine.py:234] Initializing a V0 LLM engine (v${version}) with config: model='acme/falcon-9b', max_seq_len=32768, tensor_parallel_size=1`,
    'INFO 02-17 19:15:13 model_runner.py:1110] Starting to load model acme/falcon-9b...',
    'Loading safetensors checkpoint shards:  25% Completed | 1/4 [00:02<00:08,  2.9s/it]',
    `INFO 02-17 19:16:27 model_runner.py:1115] Loading model weights took ${gib} GB`,
    'INFO 02-17 19:16:31 worker.py:267] Memory profiling takes 3.52 seconds',
    `model weights take ${gib}GiB; non_torch_memory takes 0.39GiB; PyTorch activation peak memory takes 2.53GiB; the rest of the memory reserved for KV Cache is 13.76GiB.`,
    'INFO 02-17 19:16:31 executor_base.py:111] # cuda blocks: 27896, # CPU blocks: 2048',
    'INFO 02-17 19:16:31 executor_base.py:116] Maximum concurrency for 32768 tokens per request: 13.62x',
    "INFO 02-17 19:16:40 model_runner.py:1434] Capturing cudagraphs for decoding. This may lead to unexpected consequences if the model is not static. To run the model in eager mode, set 'enforce_eager=True' or use '--enforce-eager' in the CLI. If out-of-memory error occurs during cudagraph capture, consider decreasing `gpu_memory_utilization` or switching to eager mode. You can also reduce the `max_num_seqs` as needed to decrease memory usage.",
    'INFO 02-17 19:16:58 model_runner.py:1562] Graph capturing finished in 18 secs, took 2.02 GiB',
    'INFO 02-17 19:16:58 llm_engine.py:436] init engine (profile, create kv cache, warmup model) took 31.20 seconds',
  ],
  ready: [
    'INFO:     Started server process [1]',
    'INFO:     Application startup complete.',
    'INFO:     Uvicorn running on http://0.0.0.0:8000 (Press CTRL+C to quit)',
  ],
  work: ({ running, waiting, pool }) => [
    OK,
    `INFO 02-17 20:01:00 metrics.py:455] Avg prompt throughput: 412.0 tokens/s, Avg generation throughput: 141.0 tokens/s, Running: ${running} reqs, Swapped: 0 reqs, Pending: ${waiting} reqs, GPU KV cache usage: ${percent(pool)}%, CPU KV cache usage: 0.0%.`,
    ...(pool > 0.97
      ? [
          'WARNING 02-17 20:01:02 scheduler.py:1754] Sequence group chatcmpl-ab12-0 is preempted by PreemptionMode.RECOMPUTE mode because there is not enough KV cache space. This can affect the end-to-end performance. Increase gpu_memory_utilization or tensor_parallel_size to provide more KV cache memory. total_num_cumulative_preemption=51',
        ]
      : []),
  ],
  stop: ['INFO 02-17 21:00:00 launcher.py:97] Shutting down FastAPI HTTP server.', ...UVICORN_STOP],
  prompt: (words) =>
    `INFO 02-17 20:01:03 logger.py:39] Received request chatcmpl-1a2b: prompt: '${words}', params: SamplingParams(n=1), prompt_token_ids: None, lora_request: None.`,
  metrics: ({ running, waiting, pool }) =>
    `vllm:gpu_cache_usage_perc{model_name="acme/falcon-9b"} ${pool}\nvllm:num_requests_running{model_name="acme/falcon-9b"} ${running}\nvllm:num_requests_waiting{model_name="acme/falcon-9b"} ${waiting}\nvllm:num_preemptions_total{model_name="acme/falcon-9b"} 51\n`,
};

const vllmV1: HealthyEngine = {
  name: 'vllm V1',
  called: 'vllm',
  image: (version) => `vllm/vllm-openai:v${version}`,
  versions: ['0.8.5', '0.9.2', '0.11.0', '0.14.1', '0.25.1'],
  command: words('vllm serve acme/falcon-9b --max-model-len 65536 --gpu-memory-utilization 0.95 --max-num-seqs 256'),
  start: (version, gib) => [
    `(APIServer pid=1) INFO 09-14 10:00:02 [api_server.py:1896] vLLM API server version ${version}`,
    "(APIServer pid=1) INFO 09-14 10:00:02 [utils.py:326] non-default args: {'model_tag': 'acme/falcon-9b', 'max_model_len': 65536, 'gpu_memory_utilization': 0.95, 'served_model_name': ['oom-helper', 'out-of-memory']}",
    `(EngineCore_DP0 pid=212) INFO 09-14 10:00:21 [core.py:644] Initializing a V1 LLM engine (v${version}) with config: model='acme/falcon-9b', speculative_config=None, tensor_parallel_size=1, max_seq_len=65536`,
    '(EngineCore_DP0 pid=212) INFO 09-14 10:00:30 [gpu_model_runner.py:2602] Starting to load model acme/falcon-9b...',
    'Loading safetensors checkpoint shards:  25% Completed | 1/4 [00:02<00:08,  2.9s/it]',
    '(EngineCore_DP0 pid=212) INFO 09-14 10:01:12 [default_loader.py:267] Loading weights took 38.11 seconds',
    `(EngineCore_DP0 pid=212) INFO 09-14 10:01:13 [gpu_model_runner.py:2653] Model loading took ${gib} GiB and 40.120 seconds`,
    '(EngineCore_DP0 pid=212) INFO 09-14 10:01:40 [gpu_worker.py:298] Available KV cache memory: 14.02 GiB',
    '(EngineCore_DP0 pid=212) INFO 09-14 10:01:41 [kv_cache_utils.py:1087] GPU KV cache size: 114,832 tokens',
    '(EngineCore_DP0 pid=212) INFO 09-14 10:01:41 [kv_cache_utils.py:1091] Maximum concurrency for 65,536 tokens per request: 1.75x',
    'Capturing CUDA graphs (mixed prefill-decode, PIECEWISE):  31%|###       | 21/67 [00:02<00:05,  8.9it/s]',
    '(EngineCore_DP0 pid=212) INFO 09-14 10:02:02 [gpu_model_runner.py:3480] Graph capturing finished in 19 secs, took 0.71 GiB',
    '(EngineCore_DP0 pid=212) INFO 09-14 10:02:04 [gpu_worker.py:391] Free memory on device (78.57/79.1 GiB) on startup. Desired GPU memory utilization is (0.95, 75.15 GiB). Actual usage is 14.99 GiB for weight, 1.21 GiB for peak activation, 0.12 GiB for non-torch memory, and 0.71 GiB for CUDAGraph memory. Replace gpu_memory_utilization config with `--kv-cache-memory=58000000000` (54.02 GiB) to fit into requested memory, or `--kv-cache-memory=61000000000` (56.81 GiB) to fully utilize gpu memory. Current kv cache memory in use is 54.87 GiB.',
    '(EngineCore_DP0 pid=212) INFO 09-14 10:02:05 [core.py:210] init engine (profile, create kv cache, warmup model) took 52.30 seconds',
  ],
  ready: [
    '(APIServer pid=1) INFO 09-14 10:02:09 [api_server.py:1971] Starting vLLM API server 0 on http://0.0.0.0:8000',
    '(APIServer pid=1) INFO:     Application startup complete.',
  ],
  work: ({ running, waiting, pool }) => [
    `(APIServer pid=1) ${OK}`,
    `(APIServer pid=1) INFO 09-14 12:46:58 [loggers.py:127] Engine 000: Avg prompt throughput: 812.4 tokens/s, Avg generation throughput: 301.9 tokens/s, Running: ${running} reqs, Waiting: ${waiting} reqs, GPU KV cache usage: ${percent(pool)}%, Prefix cache hit rate: 22.0%`,
  ],
  stop: [
    '(APIServer pid=1) INFO 09-14 13:00:00 [launcher.py:110] Shutting down FastAPI HTTP server.',
    ...UVICORN_STOP.map((line) => `(APIServer pid=1) ${line}`),
    PYTHON_LEAK,
  ],
  prompt: (words) =>
    `(APIServer pid=1) INFO 09-14 12:46:57 [logger.py:43] Received request chatcmpl-1a2b: prompt: '${words}', params: SamplingParams(n=1), prompt_token_ids: None, lora_request: None.`,
  metrics: ({ running, waiting, pool }) =>
    `vllm:kv_cache_usage_perc{engine="0",model_name="acme/falcon-9b"} ${pool}\nvllm:num_requests_running{engine="0",model_name="acme/falcon-9b"} ${running}\nvllm:num_requests_waiting{engine="0",model_name="acme/falcon-9b"} ${waiting}\n`,
};

const sglang: HealthyEngine = {
  name: 'sglang',
  image: (version) => `lmsysorg/sglang:v${version}-cu124`,
  versions: ['0.4.6', '0.5.5', '0.5.9'],
  command: words(
    'python3 -m sglang.launch_server --model-path acme/falcon-9b --mem-fraction-static 0.88 --context-length 32768',
  ),
  start: (_version, gib) => [
    "[2025-05-01 10:00:00] server_args=ServerArgs(model_path='acme/falcon-9b', mem_fraction_static=0.88, max_running_requests=None, chunked_prefill_size=8192, tp_size=1, log_level='info', crash_dump_folder=None)",
    '[2025-05-01 10:00:12] Load weight begin. avail mem=78.18 GB',
    `[2025-05-01 10:00:40] Load weight end. type=LlamaForCausalLM, dtype=torch.bfloat16, avail mem=62.80 GB, mem usage=${gib} GB.`,
    '[2025-05-01 10:00:41] KV Cache is allocated. #tokens: 387814, K size: 23.67 GB, V size: 23.67 GB',
    '[2025-05-01 10:00:41] Memory pool end. avail mem=9.51 GB',
    '[2025-05-01 10:00:42] Capture cuda graph begin. This can take up to several minutes. avail mem=9.32 GB',
    '[2025-05-01 10:00:54] Capture cuda graph end. Time elapsed: 12.01 s. mem usage=2.10 GB. avail mem=7.41 GB.',
    '[2025-05-01 10:00:55] max_total_num_tokens=387814, chunked_prefill_size=8192, max_prefill_tokens=16384, max_running_requests=2048, context_len=32768, available_gpu_mem=7.41 GB',
  ],
  ready: [
    '[2025-05-01 10:00:56] INFO:     Application startup complete.',
    '[2025-05-01 10:01:00] The server is fired up and ready to roll!',
  ],
  work: ({ running, waiting, pool }, clock) => [
    `[2025-05-01 ${clock}] Prefill batch. #new-seq: 1, #new-token: 600, #cached-token: 1, token usage: ${pool.toFixed(2)}, #running-req: ${running}, #queue-req: ${waiting}`,
    `[2025-05-01 ${clock}] Decode batch. #running-req: ${running}, #token: 51203, token usage: ${pool.toFixed(2)}, gen throughput (token/s): 1201.42, #queue-req: ${waiting}`,
    `[2025-05-01 ${clock}] ${OK}`,
    ...(pool > 0.97
      ? [
          `[2025-05-01 ${clock}] KV cache pool is full. Retract requests. #retracted_reqs: 3, #new_tokens_gained: 8123, #new_token_ratio: 0.4012 -> 0.7211`,
        ]
      : []),
  ],
  stop: [
    '[2025-05-01 13:00:00] SIGTERM received. signum=None frame=None. Draining requests and shutting down...',
    '[2025-05-01 13:00:03] Gracefully exiting... Remaining number of requests 0. Remaining requests remaining_rids=[].',
    ...UVICORN_STOP,
  ],
  prompt: (words) =>
    `[2025-05-01 12:00:00] Receive: obj=GenerateReqInput(rid='1a2b', text='${words}', sampling_params={'max_new_tokens': 64})`,
  metrics: ({ running, waiting, pool }) =>
    `sglang:token_usage{model_name="acme/falcon-9b"} ${pool}\nsglang:num_running_reqs{model_name="acme/falcon-9b"} ${running}\nsglang:num_queue_reqs{model_name="acme/falcon-9b"} ${waiting}\n`,
};

const tgi: HealthyEngine = {
  name: 'tgi',
  called: 'text-generation-inference',
  image: (version) => `ghcr.io/huggingface/text-generation-inference:${version}`,
  versions: ['1.4.5', '2.4.1', '3.3.4'],
  command: words('--model-id acme/falcon-9b --max-total-tokens 8192 --cuda-memory-fraction 0.95'),
  start: () => [
    '2024-11-20T10:00:00.000000Z  INFO text_generation_launcher: Args { model_id: "acme/falcon-9b", revision: None, num_shard: Some(1), quantize: None, max_concurrent_requests: 128, max_total_tokens: Some(8192), cuda_memory_fraction: 0.95 }',
    '2024-11-20T10:00:09.000000Z  INFO shard-manager: text_generation_launcher: Starting shard rank=0',
    '2024-11-20T10:00:19.000000Z  INFO shard-manager: text_generation_launcher: Waiting for shard to be ready... rank=0',
    '2024-11-20T10:00:29.000000Z  INFO shard-manager: text_generation_launcher: Shard ready in 20.507s rank=0',
    '2024-11-20T10:00:29.500000Z  INFO text_generation_launcher: Starting Webserver',
    '2024-11-20T10:00:30.000000Z  INFO text_generation_router_v3: backends/v3/src/lib.rs:125: Warming up model',
    '2024-11-20T10:00:33.000000Z  INFO text_generation_launcher: Cuda Graphs are enabled for sizes [32, 16, 8, 4, 2, 1]',
    '2024-11-20T10:00:36.000000Z  INFO text_generation_launcher: KV-cache blocks: 121393, size: 1',
    '2024-11-20T10:00:37.000000Z  INFO text_generation_router_v3: backends/v3/src/lib.rs:137: Setting max batch total tokens to 121393',
  ],
  ready: ['2024-11-20T10:00:38.000000Z  INFO text_generation_router::server: router/src/server.rs:2402: Connected'],
  work: ({ waiting }) => [
    '2024-11-20T12:00:00.000000Z  INFO generate{parameters=GenerateParameters { best_of: None, max_new_tokens: Some(20) } total_time="412.5ms" validation_time="1.2ms" queue_time="80.1ms" inference_time="331.0ms"}: text_generation_router::server: router/src/server.rs:432: Success',
    ...(waiting > 20
      ? [
          '2024-11-20T12:00:01.000000Z ERROR generate{parameters=GenerateParameters { best_of: None }}:generate:generate_stream: text_generation_router::infer: router/src/infer/mod.rs:105: Model is overloaded',
        ]
      : []),
  ],
  stop: [
    '2024-11-20T13:00:00.000000Z  INFO text_generation_router::server: router/src/server.rs:2494: signal received, starting graceful shutdown',
    '2024-11-20T13:00:01.000000Z  INFO text_generation_launcher: Terminating webserver',
    '2024-11-20T13:00:02.000000Z  INFO text_generation_launcher: webserver terminated',
    '2024-11-20T13:00:03.000000Z  INFO text_generation_launcher: Shutting down shards',
  ],
  prompt: (words) =>
    `2024-11-20T12:00:00.000000Z DEBUG generate: text_generation_router::server: router/src/server.rs:300: Input: ${words}`,
  metrics: ({ running, waiting }) => `tgi_batch_current_size ${running}\ntgi_queue_size ${waiting}\n`,
};

const trtllm: HealthyEngine = {
  name: 'tensorrt-llm',
  image: (version) => `nvcr.io/nvidia/tensorrt-llm/release:${version}`,
  versions: ['0.17.0', '0.21.0', '1.0.0'],
  command: words('trtllm-serve acme/falcon-9b --max_seq_len 8192 --kv_cache_free_gpu_memory_fraction 0.9'),
  start: (version, gib) => [
    `[TensorRT-LLM] TensorRT-LLM version: ${version}`,
    '[TensorRT-LLM][INFO] TRTGptModel maxBatchSize: 64',
    '[TensorRT-LLM][INFO] Loaded engine size: 15320 MiB',
    `[12/20/2025-04:21:50] [TRT-LLM] [I] Memory used after loading model weights (inside torch) in memory usage profiling: ${gib} GiB`,
    '[12/20/2025-04:21:51] [TRT-LLM] [I] Memory dynamically allocated during inference (inside torch) in memory usage profiling: 0.85 GiB',
    '[12/20/2025-04:21:51] [TRT-LLM] [I] Peak memory during memory usage profiling (torch + non-torch): 17.20 GiB, available KV cache memory when calculating max tokens: 55.78 GiB',
    '[TensorRT-LLM][INFO] [MemUsageChange] Allocated 37812.51 MiB for execution context memory.',
    '[TensorRT-LLM][INFO] [MemUsageChange] Allocated 4.53 GiB for max tokens in paged KV cache (395776).',
    '[12/20/2025-04:22:37] [TRT-LLM] [I] Creating CUDA graph instances for 11 batch sizes.',
  ],
  ready: ['INFO:     Started server process [1]', 'INFO:     Application startup complete.'],
  work: () => [OK],
  stop: UVICORN_STOP,
  prompt: (words) => `[12/20/2025-05:00:00] [TRT-LLM] [V] request 12 prompt: '${words}'`,
};

const triton: HealthyEngine = {
  name: 'triton',
  image: (version) => `nvcr.io/nvidia/tritonserver:${version}-trtllm-python-py3`,
  versions: ['24.07', '25.03'],
  command: words('tritonserver --model-repository=/models'),
  start: () => [
    'I0607 05:16:39.810385 117 model_lifecycle.cc:469] loading: tensorrt_llm:1',
    '[TensorRT-LLM][INFO] Engine version 0.12.0 found in the config file, assuming engine(s) built by new builder API.',
    '[TensorRT-LLM][INFO] Loaded engine size: 15320 MiB',
    '[TensorRT-LLM][INFO] [MemUsageChange] Allocated 4.53 GiB for max tokens in paged KV cache (395776).',
    "I0607 05:20:01.000000 117 model_lifecycle.cc:835] successfully loaded 'tensorrt_llm'",
  ],
  ready: [
    'I0607 05:20:04.740423 93 grpc_server.cc:4587] Started GRPCInferenceService at 0.0.0.0:8001',
    'I0607 05:20:04.740608 93 http_server.cc:3303] Started HTTPService at 0.0.0.0:8000',
  ],
  work: () => [],
  stop: [
    'Signal (15) received.',
    'I0607 06:00:00.000000 93 server.cc:305] Waiting for in-flight requests to complete.',
    'I0607 06:00:01.000000 93 server.cc:336] All models are stopped, unloading models',
  ],
  prompt: (words) => `I0607 05:30:00.000000 93 model.py:201] prompt: ${words}`,
};

const lmdeploy: HealthyEngine = {
  name: 'lmdeploy',
  image: (version) => `openmmlab/lmdeploy:v${version}-cu12`,
  versions: ['0.6.0', '0.9.2', '0.11.0'],
  command: words('lmdeploy serve api_server acme/falcon-9b --session-len 32768 --cache-max-entry-count 0.9'),
  start: () => [
    "2025-05-01 10:00:00,000 - lmdeploy - INFO - async_engine.py:259 - input backend=turbomind, backend_config=TurbomindEngineConfig(dtype='auto', model_format=None, tp=1, session_len=32768, max_batch_size=128, cache_max_entry_count=0.9, quant_policy=0)",
    '[TM][INFO] [BlockManager] block_size = 8 MB',
    '[TM][INFO] [BlockManager] max_block_count = 1217',
    '[TM][WARNING] No enough blocks for `session_len` (32768), `session_len` truncated to 11456.',
  ],
  ready: [
    'HINT:    Please open http://0.0.0.0:23333 in a browser for detailed api usage!!!',
    'INFO:     Started server process [1]',
    'INFO:     Application startup complete.',
  ],
  work: () => [OK],
  stop: UVICORN_STOP,
  prompt: (words) =>
    `2025-05-01 12:00:00,000 - lmdeploy - INFO - logger.py:45 - session=12, adapter_name=None, input_tokens=31, gen_config=GenerationConfig(n=1), prompt='${words}'`,
};

const llamaCpp: HealthyEngine = {
  name: 'llama.cpp',
  image: () => 'ghcr.io/ggml-org/llama.cpp:server-cuda',
  versions: ['4277', '6200'],
  command: words('/app/llama-server -m /models/m.gguf --ctx-size 16384 --parallel 4 -ngl 99'),
  start: (version) => [
    `build: ${version} (c5ede384) with cc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0 for x86_64-linux-gnu`,
    'llama_model_loader: loaded meta data with 27 key-value pairs and 311 tensors from /models/m.gguf (version GGUF V3 (latest))',
    'load_tensors:        CUDA0 model buffer size =  4155.99 MiB',
    'load_tensors:   CPU_Mapped model buffer size =   281.81 MiB',
    'llama_kv_cache_unified: size =  512.00 MiB (  4096 cells,  32 layers,  1/ 1 seqs), K (f16):  256.00 MiB, V (f16):  256.00 MiB',
    'llama_context:      CUDA0 compute buffer size =   560.00 MiB',
  ],
  ready: [
    'main: server is listening on http://0.0.0.0:8080 - starting the main loop',
    'srv  update_slots: all slots are idle',
  ],
  work: ({ pool }) => [
    'srv  log_server_r: request: POST /v1/chat/completions 127.0.0.1 200',
    ...(pool > 0.97
      ? ['slot update_slots: id  0 | task 12 | slot context shift, n_keep = 1, n_left = 4094, n_discard = 2047']
      : []),
  ],
  stop: ['srv    operator(): operator(): cleaning up before exit...'],
  prompt: (words) => `slot launch_slot_: id  0 | task 12 | prompt: ${words}`,
};

const ollama: HealthyEngine = {
  name: 'ollama',
  image: (version) => `ollama/ollama:${version}`,
  versions: ['0.5.4', '0.11.5', '0.12.6'],
  command: words('/bin/ollama serve'),
  start: (version) => [
    `time=2025-05-01T10:00:00.000Z level=INFO source=routes.go:1310 msg="Listening on [::]:11434 (version ${version})"`,
    'time=2025-05-01T10:00:01.000Z level=INFO source=types.go:131 msg="inference compute" id=GPU-4a1b library=cuda variant=v12 compute=8.0 driver=12.4 name="NVIDIA A100-SXM4-80GB" total="79.1 GiB" available="78.6 GiB"',
    'time=2025-05-01T10:05:00.000Z level=INFO source=server.go:376 msg="starting llama server" cmd="/usr/lib/ollama/runners/cuda_v12_avx/ollama_llama_server runner --model /root/.ollama/models/blobs/sha256-ab --ctx-size 8192"',
    'time=2025-05-01T10:05:01.000Z level=INFO source=server.go:175 msg=offload library=cuda layers.requested=-1 layers.model=33 layers.offload=20 layers.split="" memory.available="[5.1 GiB]" memory.gpu_overhead="0 B" memory.required.full="6.2 GiB" memory.required.partial="5.0 GiB" memory.required.kv="1.0 GiB" memory.required.allocations="[5.0 GiB]" memory.weights.total="4.7 GiB"',
  ],
  ready: ['time=2025-05-01T10:05:05.000Z level=INFO source=server.go:1310 msg="llama runner started in 4.02 seconds"'],
  work: () => [
    '[GIN] 2025/05/01 - 12:19:18 | 200 |   1.215165201s |    192.168.65.1 | POST     "/v1/chat/completions"',
  ],
  stop: [],
  prompt: (words) =>
    `time=2025-05-01T12:00:00.000Z level=DEBUG source=routes.go:1500 msg="chat request" images=0 prompt="${words}"`,
};

const VLLM = [vllmV0, vllmV1];
export const HEALTHY_ENGINES: readonly HealthyEngine[] = [
  ...VLLM,
  sglang,
  tgi,
  trtllm,
  triton,
  lmdeploy,
  llamaCpp,
  ollama,
];
