import { describe, expect, it } from 'vitest';
import { diagnoseFiles } from '../incident.ts';

// In the form that vLLM 0.32.0 prints.
const START = [
  '(APIServer pid=1) INFO 11-22 00:32:41 [api_utils.py:347]        █     █     █▄   ▄█\r',
  '(APIServer pid=1) INFO 11-22 00:32:41 [api_utils.py:347]  ▄▄ ▄█ █     █     █ ▀▄▀ █  version 0.32.0\r',
  '(APIServer pid=1) INFO 11-22 00:32:41 [api_utils.py:347]   █▄█▀ █     █     █     █  model   acme/wren-1b\r',
  '(APIServer pid=1) WARNING 11-22 00:32:41 [system_utils.py:255] Found ulimit of 20000 and failed to automatically increase with error current limit exceeds maximum limit. This can cause fd limit errors like `OSError: [Errno 24] Too many open files`. Consider increasing with ulimit -n',
  '(APIServer pid=1) WARNING 11-22 00:32:41 [cpu.py:224] Triton is not installed. triton-cpu is expected on x86 CPUs.',
  "(EngineCore pid=84) INFO 11-22 00:32:50 [core.py:203] Initializing a V1 LLM engine (v0.32.0) with config: model='acme/wren-1b'",
  '(Worker pid=99) INFO 11-22 00:32:55 [default_loader.py:501] Loading weights took 0.01 seconds',
  'INFO:     Application startup complete.',
];
const SERVES = [
  'INFO:     10.1.2.3:44368 - "POST /v1/completions HTTP/1.1" 200 OK',
  '(APIServer pid=1) INFO 11-22 00:33:32 [loggers.py:335] Engine 000: Avg prompt throughput: 28.6 tokens/s, Avg generation throughput: 816.2 tokens/s, Running: 30 reqs, Waiting: 0 reqs, GPU KV cache usage: 2.2%, Prefix cache hit rate: 0.0%',
];
const CORE = '(EngineCore pid=84) ERROR 11-22 00:33:39';
const DIED = [
  `${CORE} [multiproc_executor.py:315] Worker proc VllmWorker-0 died unexpectedly (exit code: None), shutting down executor.`,
  `${CORE} [core.py:1512] EngineCore encountered a fatal error.`,
  `${CORE} [core.py:1512] Traceback (most recent call last):`,
  `${CORE} [core.py:1512]   File "/x/vllm/v1/engine/core.py", line 1555, in run_busy_loop`,
  `${CORE} [core.py:1512]     self._process_engine_step()`,
  `${CORE} [core.py:1512]   File "/x/vllm/v1/engine/core.py", line 1606, in _process_engine_step`,
  `${CORE} [core.py:1512]     outputs, model_executed = self.step_fn()`,
  `${CORE} [core.py:1512]   File "/x/vllm/distributed/device_communicators/shm_broadcast.py", line 867, in acquire_read`,
  `${CORE} [core.py:1512]     raise RuntimeError("cancelled")`,
  `${CORE} [core.py:1512] RuntimeError: cancelled`,
  '(APIServer pid=1) ERROR 11-22 00:33:39 [async_llm.py:906] vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root cause.',
];
const PAGE = [
  '# HELP vllm:kv_cache_usage_perc KV-cache usage. 1 means 100 percent usage.',
  '# TYPE vllm:kv_cache_usage_perc gauge',
  'vllm:kv_cache_usage_perc{engine="0",model_name="acme/wren-1b"} 0.04',
  '# TYPE vllm:num_requests_running gauge',
  'vllm:num_requests_running{engine="0",model_name="acme/wren-1b"} 30.0',
  '# TYPE vllm:cache_config_info gauge',
  'vllm:cache_config_info{block_size="128",cache_dtype="auto",gpu_memory_utilization="0.9",num_gpu_blocks="128"} 1.0',
  '# TYPE vllm:gpu_prefix_cache_hits counter',
  'vllm:gpu_prefix_cache_hits{engine="0",model_name="acme/wren-1b"} 0.0',
];

async function diagnosed(files: Readonly<Record<string, readonly string[]>>) {
  const texts = Object.entries(files).map(([name, lines]) => [name, `${lines.join('\n')}\n`] as const);
  return diagnoseFiles(Object.fromEntries(texts));
}

const verdictOf = async (...given: Parameters<typeof diagnosed>) => (await diagnosed(...given)).diagnosis.verdict;

describe('the newest vLLM', () => {
  it('serves, whatever it warned of at its start, and its own page of metrics accuses nobody', async () => {
    expect((await verdictOf({ 'current.log': [...START, ...SERVES], 'metrics.txt': PAGE })).finding).toBe(
      'none-runs-on',
    );
  });

  it('has shown no error by what it warns of while it starts', async () => {
    expect((await diagnosed({ 'current.log': START.slice(0, 4) })).facts.get('log.error-seen')).toMatchObject({
      value: false,
    });
  });

  it('is as old as its banner says', async () => {
    expect((await diagnosed({ 'previous.log': START.slice(0, 5) })).facts.get('engine.version')).toMatchObject({
      value: '0.32.0',
    });
  });

  it('on the processor has its cache in RAM, although its refusal is worded as on a card', async () => {
    const cpu = START.map((line) => line.replace(/with config: /, 'with config: device_config=cpu, '));
    const refused =
      "(EngineCore pid=84) ERROR 11-22 00:29:21 [core.py:1510] ValueError: To serve at least one request with the model's max seq len (1048576), (2.0 GiB KV cache is needed, which is larger than the available KV cache memory (1.0 GiB). Based on the available memory, the estimated maximum model length is 524160. Try increasing `gpu_memory_utilization` (which also controls CPU memory on the CPU backend) or decreasing `max_model_len` when initializing the engine.";

    const on = async (start: readonly string[]) => (await diagnosed({ 'previous.log': [...start, refused] })).diagnosis;

    expect((await on(cpu.slice(0, 7))).verdict).toMatchObject({ plane: 'host', phase: 'startup', certain: true });
    expect((await on(START.slice(0, 7))).verdict).toMatchObject({ plane: 'gpu', phase: 'startup', certain: true });
  });

  const REFUSED =
    'ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.';
  const VERSION = 'INFO 11-22 00:29:01 [api_server.py:1896] vLLM API server version 0.11.0';
  const PLATFORM = 'INFO 11-22 00:29:01 [__init__.py:216] Automatically detected platform';
  const ARGS = 'vllm serve acme/m';

  it.each<[string, 'gpu' | 'host', readonly string[], string]>([
    ['the platform that it detects', 'host', [`${PLATFORM} cpu.`, VERSION], ARGS],
    ['another platform', 'gpu', [`${PLATFORM} cuda.`, VERSION], `VLLM_CPU_KVCACHE_SPACE=40 ${ARGS}`],
    ['the version of its build', 'host', [`${VERSION}+cpu`], ARGS],
    [
      'the version of a build from a commit',
      'host',
      [`${VERSION.replace('0.11.0', '0.11.1.dev26+gcf75cd209.cpu')}`],
      ARGS,
    ],
    ['another version', 'gpu', [`${VERSION}+cu128`], ARGS],
    ['the room of its cache', 'host', [VERSION], `VLLM_CPU_KVCACHE_SPACE=40 ${ARGS}`],
    ['nothing', 'gpu', [VERSION], ARGS],
  ])('is known to run on the processor by %s, or not: %s', async (_what, plane, start, args) => {
    expect(await verdictOf({ 'previous.log': [...start, REFUSED], 'args.txt': [args] })).toMatchObject({
      plane,
      phase: 'startup',
    });
  });

  it('runs on a card where its memory ran out, whatever the variables say', async () => {
    const oom = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 350.00 MiB.';

    const files = { 'previous.log': [VERSION, oom], 'args.txt': ['VLLM_CPU_KVCACHE_SPACE=40 vllm serve acme/m'] };

    expect((await verdictOf(files)).plane).toBe('gpu');
  });

  it('points to GPU memory by the frames of its step where they end in an error of its own', async () => {
    const own = DIED.map((line) => line.replace('cancelled', 'CUDA error: out of memory'));

    expect((await verdictOf({ 'previous.log': [...START, ...SERVES, ...own.slice(1)] })).plane).toBe('gpu');
  });
});

const LOADING =
  'Loading safetensors using Runai Model Streamer:  61% Completed | 88213/144601 [09:44<06:12, 151.4it/s]';
const waited = (whom: string) => [
  LOADING,
  '(APIServer pid=1) Traceback (most recent call last):',
  '(APIServer pid=1)   File "/x/vllm/v1/engine/core_client.py", line 764, in __init__',
  `(APIServer pid=1) TimeoutError: Timed out waiting for ${whom} to start. Waited 600s (configured by VLLM_ENGINE_READY_TIMEOUT_S).`,
];

it('a start that takes longer than the front end waits is not what failed where a card refused before', async () => {
  const refused = '(EngineCore pid=9) torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.';
  expect(await verdictOf({ 'previous.log': [refused, ...waited('engine core processes')] })).toMatchObject({
    plane: 'gpu',
  });
});

describe('a KV cache whose size was set by hand', () => {
  const told = (kv: string, weights: string) => [
    `(EngineCore pid=6) INFO 11-11 07:00:21 [gpu_model_runner.py:4900] Model loading took ${weights} GiB memory and 9.1 seconds`,
    `(EngineCore pid=6) INFO 11-11 07:00:41 [gpu_worker.py:676] Initial free memory 78.02 GiB, reserved ${kv} GiB memory for KV Cache as specified by kv_cache_memory_bytes config and skipped memory profiling.`,
    '(EngineCore pid=6) ERROR 11-11 07:00:42 [core.py:1584] EngineCore failed to start.',
    '(EngineCore pid=6) ERROR 11-11 07:00:42 [core.py:1584] Traceback (most recent call last):',
  ];

  it.each([
    ['more than was free', '80.0', '2.0'],
    ['no more than was free, and the weights came first', '54.0', '30.0'],
  ])('is too large: %s', async (_what, kv, weights) => {
    expect(await verdictOf({ 'previous.log': told(kv, weights) })).toMatchObject({
      plane: 'gpu',
      certain: false,
    });
  });

  it('is not too large where it fits beside the weights', async () => {
    expect((await verdictOf({ 'previous.log': told('54.0', '20.0') })).finding).not.toBe('gpu-startup-pool-told');
  });
});
