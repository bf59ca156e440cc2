import type { LogLine } from '../api-server/objects/world.ts';

const API = '(APIServer pid=1)';
const CORE = '(EngineCore_DP0 pid=214)';

/** Lines of a log in the forms of vLLM 0.11 (V1 engine), one after the other from `at` (epoch ms), `stepMs` apart. */
export function vllmLines(at: number, texts: readonly string[], stepMs = 20): LogLine[] {
  return texts.map((text, i) => ({ at: at + i * stepMs, text }));
}

function stamp(at: number): string {
  const [day = '', time = ''] = new Date(at).toISOString().split('T');
  return `${day.slice(5)} ${time.slice(0, 8)}`;
}

type Level = 'INFO' | 'WARNING' | 'ERROR';

/** One record as vLLM prints it. */
function record(at: number, who: 'api' | 'core', text: string, level: Level = 'INFO'): string {
  return `${who === 'api' ? API : CORE} ${level} ${stamp(at)} ${text}`;
}

type StartOptions = { readonly maxModelLen?: number };

/** A start up to the point where it serves. Ends 90 s after `at`. */
export function vllmStart(at: number): LogLine[] {
  return [...vllmLoad(at), ...vllmReady(at + 45_000)];
}

/** A start as far as the weights are loaded. Ends 40 s after `at`. */
export function vllmLoad(at: number, { maxModelLen = 32_768 }: StartOptions = {}): LogLine[] {
  const model = 'meta-llama/Llama-3.1-8B-Instruct';
  const args = `{'model': '${model}', 'max_model_len': ${maxModelLen}, 'gpu_memory_utilization': 0.92}`;
  const records: readonly (readonly [number, 'api' | 'core', string])[] = [
    [0, 'api', '[api_server.py:1839] vLLM API server version 0.11.0'],
    [50, 'api', `[utils.py:233] non-default args: ${args}`],
    [6_000, 'api', '[model.py:547] Resolved architecture: LlamaForCausalLM'],
    [6_100, 'api', `[model.py:1510] Using max model len ${maxModelLen}`],
    [6_300, 'api', '[scheduler.py:205] Chunked prefill is enabled with max_num_batched_tokens=8192.'],
    [12_000, 'core', '[core.py:644] Waiting for init message from front-end.'],
    [12_100, 'core', `[core.py:77] Initializing a V1 LLM engine (v0.11.0) with config: model='${model}'`],
    [15_000, 'core', `[gpu_model_runner.py:2602] Starting to load model ${model}...`],
    [39_000, 'core', '[default_loader.py:267] Loading weights took 21.94 seconds'],
    [39_400, 'core', '[gpu_model_runner.py:2653] Model loading took 14.9889 GiB and 22.9 seconds'],
  ];
  return records.map(([after, who, text]) => ({ at: at + after, text: record(at + after, who, text) }));
}

function vllmReady(at: number): LogLine[] {
  const records: readonly (readonly [number, 'api' | 'core', string])[] = [
    [0, 'core', '[gpu_worker.py:298] Available KV cache memory: 54.21 GiB'],
    [200, 'core', '[kv_cache_utils.py:1087] GPU KV cache size: 444,080 tokens'],
    [210, 'core', '[kv_cache_utils.py:1091] Maximum concurrency for 32,768 tokens per request: 13.55x'],
    [20_000, 'core', '[gpu_model_runner.py:3480] Graph capturing finished in 18 secs, took 0.62 GiB'],
    [21_000, 'core', '[core.py:210] init engine (profile, create kv cache, warmup model) took 45.02 seconds'],
    [30_000, 'api', '[api_server.py:1912] Starting vLLM API server 0 on http://0.0.0.0:8000'],
  ];
  const plain = [`${API} INFO:     Started server process [1]`, `${API} INFO:     Application startup complete.`];
  return [
    ...records.map(([after, who, text]) => ({ at: at + after, text: record(at + after, who, text) })),
    ...vllmLines(at + 31_000, plain),
  ];
}

type ServeOptions = {
  readonly until: number;
  readonly running?: number;
  readonly kv?: string;
};

/** Requests and the loggers' lines from `at` to `until`. */
export function* vllmServe(at: number, { until, running = 4, kv = '31.7' }: ServeOptions): Generator<LogLine> {
  for (let time = at; time < until; time += 10_000) {
    yield { at: time, text: `${API} INFO:     10.0.0.9:41522 - "POST /v1/chat/completions HTTP/1.1" 200 OK` };
    const load = `Running: ${running} reqs, Waiting: 0 reqs, GPU KV cache usage: ${kv}%, Prefix cache hit rate: 12.4%`;
    const rates = 'Avg prompt throughput: 812.4 tokens/s, Avg generation throughput: 140.1 tokens/s';
    yield { at: time + 5, text: record(time + 5, 'api', `[loggers.py:127] Engine 000: ${rates}, ${load}`) };
  }
}

/** What an API server whose engine core is dead prints from `at` to `until`: probes that succeed, requests that fail. */
export function vllmDead(at: number, until: number): LogLine[] {
  const lines: LogLine[] = [];
  for (let time = at + 10_000; time < until; time += 10_000) {
    const failed = `${API} INFO:     10.0.0.9:41522 - "POST /v1/chat/completions HTTP/1.1" 500 Internal Server Error`;
    lines.push(
      { at: time, text: failed },
      { at: time + 5, text: `${API} INFO:     10.0.0.1:50112 - "GET /health HTTP/1.1" 200 OK` },
    );
  }
  return lines;
}

/** The failure of an allocation while a batch runs, as the engine core prints it, and what the API server makes of it. */
export function vllmCudaOom(at: number, { exits = true }: { readonly exits?: boolean } = {}): LogLine[] {
  const core = (text: string) => record(at, 'core', `[core.py:710] ${text}`, 'ERROR');
  const oom =
    'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 79.25 GiB of which 1.06 GiB is free. Including non-PyTorch memory, this process has 78.18 GiB memory in use. Of the allocated memory 74.90 GiB is allocated by PyTorch, with 1.20 GiB allocated in private pools (e.g., CUDA Graphs), and 1.61 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)';
  return vllmLines(at, [
    core('EngineCore encountered a fatal error.'),
    core('Traceback (most recent call last):'),
    core('  File "/usr/local/lib/python3.12/dist-packages/vllm/v1/engine/core.py", line 701, in run_engine_core'),
    core('    engine_core.run_busy_loop()'),
    core(
      '  File "/usr/local/lib/python3.12/dist-packages/vllm/v1/worker/gpu_model_runner.py", line 2268, in execute_model',
    ),
    core('    model_output = self.model('),
    core('  File "/usr/local/lib/python3.12/dist-packages/vllm/model_executor/models/llama.py", line 86, in forward'),
    core('    x, _ = self.gate_up_proj(x)'),
    core(oom),
    record(at, 'api', '[async_llm.py:480] AsyncLLM output_handler failed.', 'ERROR'),
    record(
      at,
      'api',
      '[async_llm.py:480] vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root cause.',
      'ERROR',
    ),
    ...(exits ? [`${API} INFO:     Shutting down`, `${API} INFO:     Finished server process [1]`] : []),
  ]);
}

/** The failure of an allocation while the memory for a step is measured at the start. */
export function vllmLoadOom(at: number): LogLine[] {
  const core = (text: string) => record(at, 'core', `[core.py:708] ${text}`, 'ERROR');
  const frame =
    '  File "/usr/local/lib/python3.12/dist-packages/vllm/v1/worker/gpu_model_runner.py", line 3011, in profile_run';
  const oom =
    'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 0 has a total capacity of 79.25 GiB of which 1.02 GiB is free.';
  return vllmLines(at, [
    core('EngineCore failed to start.'),
    core('Traceback (most recent call last):'),
    core(frame),
    core(oom),
    `${API} INFO:     Shutting down`,
  ]);
}

/** The refusal to start where one sequence of the maximum length does not fit. */
export function vllmKvRoom(at: number, maxModelLen = 131_072): LogLine[] {
  const core = (text: string) => record(at, 'core', `[core.py:708] ${text}`, 'ERROR');
  const words = `ValueError: To serve at least one request with the models's max seq len (${maxModelLen}), (16.00 GiB KV cache is needed, which is larger than the available KV cache memory (3.18 GiB). Based on the available memory, the estimated maximum model length is 26048. Try increasing \`gpu_memory_utilization\` or decreasing \`max_model_len\` when initializing the engine.`;
  return vllmLines(at, [
    record(at, 'core', '[gpu_worker.py:298] Available KV cache memory: 3.18 GiB'),
    core('EngineCore failed to start.'),
    core('Traceback (most recent call last):'),
    core(
      '  File "/usr/local/lib/python3.12/dist-packages/vllm/v1/core/kv_cache_utils.py", line 686, in check_enough_kv_cache_memory',
    ),
    core('    raise ValueError('),
    core(words),
    `${API} Traceback (most recent call last):`,
    `${API} RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}`,
  ]);
}
