/** Who writes a record of vLLM's log. */
export type VllmWriter = 'api' | 'core' | 'worker';
type Level = 'INFO' | 'WARNING' | 'ERROR';

const PREFIX: Readonly<Record<VllmWriter, string>> = {
  api: '(APIServer pid=1)',
  core: '(EngineCore_DP0 pid=214)',
  worker: '(Worker_TP1 pid=318)',
};
const PACKAGES = '/usr/local/lib/python3.12/dist-packages/vllm';

/** One record as vLLM 0.11 (V1 engine) prints it at a time, epoch ms. */
export function vllmRecord(at: number, who: VllmWriter, text: string, level: Level = 'INFO'): string {
  const [day = '', time = ''] = new Date(at).toISOString().split('T');
  return `${PREFIX[who]} ${level} ${day.slice(5)} ${time.slice(0, 8)} ${text}`;
}

/** A line of the web server in it. */
export function vllmPlain(text: string): string {
  return `${PREFIX.api} INFO:     ${text}`;
}

export function vllmBare(text: string): string {
  return `${PREFIX.api} ${text}`;
}

const grouped = (count: number): string => Math.round(count).toLocaleString('en-US');

/** What the records say, by what they are about; memory in GiB. */
export const VLLM_TEXT = {
  version: (version = '0.11.0') => `[api_server.py:1839] vLLM API server version ${version}`,
  arguments: (shown: string) => `[utils.py:233] non-default args: ${shown}`,
  architecture: (name: string) => `[model.py:547] Resolved architecture: ${name}`,
  length: (tokens: number) => `[model.py:1510] Using max model len ${tokens}`,
  stepTokens: (tokens: number) =>
    `[scheduler.py:205] Chunked prefill is enabled with max_num_batched_tokens=${tokens}.`,
  waiting: '[core.py:644] Waiting for init message from front-end.',
  core: (model: string, more = '', version = '0.11.0') =>
    `[core.py:77] Initializing a V1 LLM engine (v${version}) with config: model='${model}'${more}`,
  dumpInput: (version: string) => `[dump_input.py:69] Dumping input data for V1 LLM engine (v${version})`,
  dumpStep: (tokens: number) =>
    `[dump_input.py:76] Dumping scheduler output for model execution: SchedulerOutput(scheduled_new_reqs=[], num_scheduled_tokens={cmpl-1f: ${tokens}}, total_num_scheduled_tokens=${tokens}, scheduled_spec_decode_tokens={})`,
  loading: (model: string) => `[gpu_model_runner.py:2602] Starting to load model ${model}...`,
  read: (seconds: number) => `[default_loader.py:267] Loading weights took ${seconds.toFixed(2)} seconds`,
  loaded: (gib: number, seconds: number) =>
    `[gpu_model_runner.py:2653] Model loading took ${gib.toFixed(4)} GiB and ${seconds.toFixed(1)} seconds`,
  available: (gib: number) => `[gpu_worker.py:298] Available KV cache memory: ${gib.toFixed(2)} GiB`,
  pool: (tokens: number) => `[kv_cache_utils.py:1087] GPU KV cache size: ${grouped(tokens)} tokens`,
  concurrency: (length: number, times: number) =>
    `[kv_cache_utils.py:1091] Maximum concurrency for ${grouped(length)} tokens per request: ${times.toFixed(2)}x`,
  capturing: '[gpu_model_runner.py:3412] Capturing CUDA graphs (mixed prefill-decode, PIECEWISE)',
  captured: (seconds: number, gib: number) =>
    `[gpu_model_runner.py:3480] Graph capturing finished in ${seconds} secs, took ${gib.toFixed(2)} GiB`,
  started: (seconds: number) =>
    `[core.py:210] init engine (profile, create kv cache, warmup model) took ${seconds.toFixed(2)} seconds`,
  listening: '[api_server.py:1912] Starting vLLM API server 0 on http://0.0.0.0:8000',
  shortOfFraction: (free: number, total: number, { share, wanted }: { share: number; wanted: number }) =>
    `ValueError: Free memory on device (${free.toFixed(2)}/${total.toFixed(2)} GiB) on startup is less than desired GPU memory utilization (${share}, ${wanted.toFixed(2)} GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.`,
  noPool:
    'ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.',
  shortOfPool: (
    length: number,
    { needed, available, estimate }: { needed: number; available: number; estimate: number },
  ) =>
    `ValueError: To serve at least one request with the models's max seq len (${length}), (${needed.toFixed(2)} GiB KV cache is needed, which is larger than the available KV cache memory (${available.toFixed(2)} GiB). Based on the available memory, the estimated maximum model length is ${estimate}. Try increasing \`gpu_memory_utilization\` or decreasing \`max_model_len\` when initializing the engine.`,
  samplerWarmup: (sequences: number) =>
    `RuntimeError: CUDA out of memory occurred when warming up sampler with ${sequences} dummy requests. Please try lowering \`max_num_seqs\` or \`gpu_memory_utilization\` when initializing the engine.`,
  load: (figures: string) => `[loggers.py:127] Engine 000: ${figures}`,
  handlerFailed: '[async_llm.py:480] AsyncLLM output_handler failed.',
  engineDead:
    '[async_llm.py:480] vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root cause.',
  ncclNoSpace: (path: string, bytes: number) =>
    `vllm-server:318:318 [1] misc/shmutils.cc:87 NCCL WARN Error: failed to extend ${path} to ${bytes} bytes, error: No space left on device (28)`,
  ncclFailed: 'RuntimeError: NCCL error: unhandled system error (run with NCCL_DEBUG=INFO for details)',
  workerFailed: '[multiproc_executor.py:597] WorkerProc failed to start.',
  workersFailed:
    'Exception: WorkerProc initialization failed due to an exception in a background process. See stack trace for root cause.',
  startFailed: 'RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}',
} as const;

/** The frames above a failure, outermost first, by where the engine was. */
export const VLLM_FRAMES = {
  device: [frame('v1/worker/gpu_worker.py', 187, 'init_device')],
  nccl: [
    frame('v1/worker/gpu_worker.py', 183, 'init_device'),
    frame('v1/worker/gpu_worker.py', 689, 'init_worker_distributed_environment'),
    frame('distributed/device_communicators/pynccl.py', 103, '__init__'),
    '    self.all_reduce(data)',
    frame('distributed/device_communicators/pynccl_wrapper.py', 279, 'NCCL_CHECK'),
  ],
  workers: [frame('v1/executor/multiproc_executor.py', 534, 'wait_for_ready')],
  load: [
    frame('v1/worker/gpu_worker.py', 213, 'load_model'),
    frame('model_executor/model_loader/base_loader.py', 44, 'load_model'),
  ],
  profile: [
    frame('v1/worker/gpu_worker.py', 263, 'determine_available_memory'),
    frame('v1/worker/gpu_model_runner.py', 3361, 'profile_run'),
  ],
  sampler: [
    frame('v1/worker/gpu_worker.py', 263, 'determine_available_memory'),
    frame('v1/worker/gpu_model_runner.py', 3361, 'profile_run'),
    frame('v1/worker/gpu_model_runner.py', 3187, '_dummy_sampler_run'),
  ],
  pool: [frame('v1/core/kv_cache_utils.py', 708, 'check_enough_kv_cache_memory'), '    raise ValueError('],
  capture: [
    frame('v1/worker/gpu_worker.py', 352, 'compile_or_warm_up_model'),
    frame('v1/worker/gpu_model_runner.py', 3456, 'capture_model'),
  ],
  step: [
    frame('v1/engine/core.py', 701, 'run_engine_core'),
    '    engine_core.run_busy_loop()',
    frame('v1/worker/gpu_model_runner.py', 2268, 'execute_model'),
    '    model_output = self.model(',
  ],
  stepLogits: [
    frame('v1/engine/core.py', 701, 'run_engine_core'),
    frame('v1/worker/gpu_model_runner.py', 2327, 'execute_model'),
    frame('v1/sample/sampler.py', 68, 'forward'),
  ],
  stepImage: [
    frame('v1/engine/core.py', 701, 'run_engine_core'),
    frame('v1/worker/gpu_model_runner.py', 2220, 'execute_model'),
    frame('v1/worker/gpu_model_runner.py', 1702, '_execute_mm_encoder'),
    frame('model_executor/models/qwen2_5_vl.py', 861, 'forward'),
  ],
} as const;

function frame(file: string, line: number, name: string): string {
  return `  File "${PACKAGES}/${file}", line ${line}, in ${name}`;
}
