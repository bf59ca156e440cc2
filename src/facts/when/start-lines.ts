// Lines that engines write below ERROR before the first request, by how they begin.
const OF_START: readonly RegExp[] = [
  // ggml-org/llama.cpp src/llama-model-loader.cpp, llama-model.cpp, llama-vocab.cpp, llama-context.cpp, llama-kv-cache.cpp,
  // common/common.cpp, tools/server: the function that speaks, behind a clock and the word of its server. What it says of a
  // slot is its last before it serves.
  /^(?:[\d.]{4,24} [DIW] )?(?:srv {1,8})?(?:llama_model_load\w{0,20}|llama_load_model_from_file|llm_load_\w{1,30}|print_info|load_(?:tensors|hparams|model|backend|all_data)|load|init_tokenizer|llama_(?:context|new_context_with_model|init_from_model|kv_cache\w{0,20}|params_fit\w{0,20})|common_init_\w{1,30}|sched_reserve|ggml_(?:cuda|vulkan|metal)_init|system_info|build_info): /,
  // huggingface/text-generation-inference launcher/src/main.rs, and what it relays of its shards.
  /\b(?:INFO|WARN) +text_generation_launcher: (?!(?:Shutting down|Terminating|Waiting for \S{1,60} to gracefully|Killing)\b)/,
  // router/src/server.rs, backends/v3/src/lib.rs, main.rs.
  /\b(?:INFO|WARN) +text_generation_router\S{0,40}: (?:\S{1,80}\.rs:\d{1,5}: )?(?:Using (?:the Hugging Face API|config|backend|chat template)|Could not (?:find|parse|retrieve)|Offline mode|no pipeline tag|Tokenizer_config|Cache |Odd tokenizer|Built with|Serving revision|Model (?:supports|does not support)|Maximum (?:input|total) tokens|Inferred max batch|Setting max batch)/,
  // NVIDIA/TensorRT-LLM cpp/tensorrt_llm/common/logger.h, tensorrt_llm/logger.py. What it says of a request or an iteration it
  // says while serving.
  /^\[TensorRT-LLM\]\[INFO\] (?!\{|[^\n]{0,400}(?:request|iter(?:ation)?s?\b|\bstep\b))/i,
  /^\[\d\d\/\d\d\/\d{4}-[\d:]{8}\] \[TRT-LLM\] (?:\[RANK \d{1,4}\] )?\[I\] (?![^\n]{0,400}(?:request|iter(?:ation)?s?\b|\bstep\b))/i,
  // triton-inference-server/core src/*.cc, server src/grpc, python_backend src/python_be.cc.
  /^I\d{4} [\d:.]{8,20} +\d{1,10} (?:server|model_lifecycle|model_config_utils|model_repository_manager|pinned_memory_manager|cuda_memory_manager|tritonserver|metrics|backend_model|backend_model_instance|cache_manager)\.cc:\d{1,5}\] (?!"?(?:Waiting for in-flight|Timeout \d))/,
  /^I\d{4} [\d:.]{8,20} +\d{1,10} \w{1,40}\.cc:\d{1,5}\] "?TRITONBACKEND_(?:Initialize|Model(?:Instance)?Initialize)\b/,
  // InternLM/lmdeploy src/turbomind: turbomind.cc, models/llama/{BlockManager,SequenceManager,LlamaBatch}.cc, comm/env.h.
  /^\[TM\]\[(?:INFO|WARN(?:ING)?)\] (?:\[(?:BlockManager|SegMgr|SequenceManager|LlamaTritonModel|TurboMind|WarmUp|GEMM|Gemm2|NCCL)\]|\[?Warm-up|Object cache budget|Barrier\(|NcclGroup|GlooGroupId|`max_context_token_num`)/,
  // LMCache/LMCache lmcache/v1/config.py, v1/cache_engine.py, LMCacheEngineBuilder.get_or_create.
  /\bLMCache INFO: (?:LMCache Configuration|Creating LMCacheEngine instance|Initializ(?:ing|ed))\b/,
];

/** Whether a line is one that an engine writes while it starts, and only then. */
export function beginsAsOfStart(line: string): boolean {
  return OF_START.some((one) => one.test(line));
}

// `INFO 08-19 07:51:03 [cuda.py:300] `, `WARNING 02-05 07:35:23 config.py:1674] `, and with a path where vLLM logs at debug
// level (vllm/logging_utils/formatter.py). A traceback is headed by ERROR and by whoever caught it.
const HEAD =
  /^(?:DEBUG|INFO|WARNING) \d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})? \[?(?:[\w.-]{1,40}\/){0,8}(\w{2,60})\.py:\d/;

// Files of vLLM whose every message below ERROR is written before the first request, by their names in vLLM 0.6 to 0.33. Left
// out are names that another file bears which speaks while serving (`scheduler`, `utils`, `__init__`, `metrics`).
const MODULES: ReadonlySet<string> = new Set([
  // configuration
  ...[
    'arg_utils',
    'config',
    'vllm',
    'compilation',
    'cache',
    'model',
    'parallel',
    'speculative',
    'lora',
    'pooler',
    'envs',
  ],
  // platform and attention
  ...['cuda', 'rocm', 'xpu', 'hpu', 'interface', 'selector', 'fa_utils', 'importing', 'mla_attention', 'vision'],
  // distributed start
  ...['parallel_state', 'pynccl', 'pynccl_wrapper', 'nccl', 'custom_all_reduce', 'custom_all_reduce_utils'],
  ...['all_reduce_utils', 'all2all', 'cuda_communicator', 'symm_mem', 'quick_all_reduce', 'ray_utils'],
  // weights
  ...['loader', 'default_loader', 'base_loader', 'weight_utils', 'bitsandbytes_loader', 'gguf_loader', 'tensorizer'],
  ...['runai_streamer_loader', 'sharded_state_loader', 'punica_selector', 'fp8', 'awq', 'awq_marlin', 'gptq_marlin'],
  ...[
    'compressed_tensors',
    'compressed_tensors_moe',
    'modelopt',
    'mxfp4',
    'kv_cache',
    'marlin_utils_fp8',
    'unquantized',
  ],
  // trial run, compilation and pool
  ...[
    'profiling',
    'encoder_cache_manager',
    'topk_topp_sampler',
    'fused_moe',
    'backends',
    'monitor',
    'compiler_interface',
  ],
  ...['decorators', 'caching', 'piecewise_backend', 'kv_cache_utils', 'gpu_executor', 'distributed_gpu_executor'],
  ...['model_runner', 'gpu_model_runner', 'enc_dec_model_runner'],
]);

/** Whether a line is headed by a file that speaks while its engine starts, and only then. */
export function isOfStart(line: string): boolean {
  const [, module] = HEAD.exec(line) ?? [];
  return module !== undefined && MODULES.has(module);
}

// What an engine logs of its settings, its platform and its communication. Most of it is said once, at the start; some may be
// said of a request, so that it counts where no line speaks of either time.
const SET_UP = [
  /\b(?:is|are|was|were|been)(?: now| automatically)? (?:(?:en|dis)abled|turned o(?:n|ff))\b|\b(?:en|dis)abling\b|\bturn(?:s|ing)? o(?:n|ff)\b/i,
  /\bdefaulting to\b|\bby default\b|\bfall(?:s|ing)? ?back to\b|\b(?:is|are) (?:set|adjusted|reset|forced|changed) (?:to|as)\b/i,
  /\bus(?:e|ing) (?:the )?(?:default )?[\w./+-]{1,40}(?: [\w-]{1,30}){0,3} (?:backend|kernels?|config\w*|implementation)\b/i,
  /\bautomatically (?:reduce|set|detect)|\bsubject to change\b|\b(?:up|down)?casting \S{1,30} to\b|\bsub-?optimal\b|\bdeprecated\b/i,
  /\binit(?:iali[sz]\w{1,4})? (?:torch |custom )?(?:distributed|process group)\b|\bnccl==|\bcustom (?:quick )?all-?reduce\b/i,
];
const LOGGED = /^\[?(?:\d{4}-\d\d-\d\d|\d\d[/:]\d\d)|\b(?:INFO|WARN(?:ING)?|DEBUG)\b/;

/** Whether a line of a log tells how its program is set up. */
export function isSetUp(line: string): boolean {
  return LOGGED.test(line) && SET_UP.some((one) => one.test(line));
}
