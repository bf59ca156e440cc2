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
