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
