import { describe, expect, it } from 'vitest';
import { readEngine } from '../../../src/read/engine/index.ts';
import { anInput } from './an-input.ts';

const tgi = (time: string, text: string) => `2024-11-20T10:${time}.000000Z  INFO ${text}`;
const trt = (text: string) => `[TRT-LLM] [I] ${text}`;
const PEAK =
  'Peak memory during memory usage profiling (torch + non-torch): 91.46 GiB, available KV cache memory when calculating max tokens: 41.11 GiB';
const gin = (status: number, path: string) =>
  `[GIN] 2025/03/14 - 09:19:18 | ${status} |   1.215165201s |    192.168.65.1 | POST     "${path}"`;

/** Of each engine the milestones of a start, in their order, each with its line. */
const STARTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sglang: {
    started: "[2025-05-01 10:00:00] server_args=ServerArgs(model_path='x', mem_fraction_static=0.88, tp_size=2)",
    'load-begin': '[TP0] Load weight begin. avail mem=78.18 GB',
    'load-end': '[TP0] Load weight end. type=L, dtype=torch.bfloat16, avail mem=62.80 GB, mem usage=15.07 GB.',
    'kv-allocated': '[TP0] KV Cache is allocated. #tokens: 387814, K size: 23.67 GB, V size: 23.67 GB',
    'graphs-begin': '[TP0] Capture cuda graph begin. This can take up to several minutes. avail mem=2.98 GB',
    'graphs-end': '[TP0] Capture cuda graph end. Time elapsed: 12.01 s. mem usage=2.10 GB. avail mem=7.41 GB.',
    ready: '[2025-05-01 10:02:00] The server is fired up and ready to roll!',
    served: 'INFO:     10.0.0.7:58280 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
  },
  tgi: {
    started: tgi('00:00', 'text_generation_launcher: Args {'),
    'load-begin': tgi('00:01', 'shard-manager: text_generation_launcher: Starting shard rank=0'),
    'load-end': tgi('01:00', 'shard-manager: text_generation_launcher: Shard ready in 12.5s rank=0'),
    'kv-allocated': tgi('01:05', 'text_generation_launcher: KV-cache blocks: 121393, size: 1'),
    'graphs-begin': tgi('01:06', 'text_generation_launcher: Cuda Graphs are enabled for sizes [32, 16]'),
    ready: tgi('01:20', 'text_generation_router::server: router/src/server.rs:2402: Connected'),
    served: tgi('02:00', 'generate{}: text_generation_router::server: router/src/server.rs:432: Success'),
  },
  'tensorrt-llm': {
    started: '[TensorRT-LLM] TensorRT-LLM version: 1.1.0rc3',
    'load-end': trt('Memory used after loading model weights (inside torch) in memory usage profiling: 63.52 GiB'),
    profiled: trt(PEAK),
    'kv-allocated': '[TensorRT-LLM][INFO] [MemUsageChange] Allocated 41.10 GiB for max tokens in paged KV cache (8).',
    'graphs-begin': trt('Creating CUDA graph instances for 11 batch sizes.'),
    ready: 'INFO:     Application startup complete.',
    served: 'INFO:     10.0.0.7:58280 - "POST /v1/completions HTTP/1.1" 200 OK',
  },
  triton: {
    'load-begin': 'I0607 05:16:39.810385 117 model_lifecycle.cc:469] loading: own_model:1',
    ready: 'I0607 05:20:04.740423 93 grpc_server.cc:4587] Started GRPCInferenceService at 0.0.0.0:8001',
  },
  lmdeploy: {
    started: 'lmdeploy - INFO - async_engine.py:259 - input backend=pytorch, backend_config=PytorchEngineConfig()',
    'load-begin': 'lmdeploy - INFO - base.py:177 - Building Model.',
    'kv-allocated': 'CacheConfig(max_batches=256, block_size=64, num_cpu_blocks=64, num_gpu_blocks=11423)',
    'graphs-begin': 'lmdeploy - INFO - base.py:181 - Building GraphRunner and warmup ops, please waiting.',
    'graphs-end': 'lmdeploy - INFO - base.py:185 - Warming up model.',
    ready: 'HINT:    Please open http://0.0.0.0:23333 in a browser for detailed api usage!!!',
    served: 'INFO:     10.0.0.7:58280 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
  },
  'llama.cpp': {
    started: 'build: 4277 (c5ede384) with cc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0 for x86_64-linux-gnu',
    'load-begin': 'llama_model_loader: loaded meta data with 27 key-value pairs and 311 tensors from /m.gguf',
    'load-end': 'llama_context: n_ctx         = 8192',
    profiled: 'llama_context:      CUDA0 compute buffer size =   560.00 MiB',
    'kv-allocated': 'llama_kv_cache:      CUDA0 KV buffer size =   512.00 MiB',
    ready: 'main: server is listening on http://0.0.0.0:8080 - starting the main loop',
    served: 'srv  log_server_r: request: POST /v1/chat/completions 127.0.0.1 200',
  },
  ollama: {
    started: 'level=INFO source=routes.go:1310 msg="Listening on [::]:11434 (version 0.5.4)"',
    'load-begin': 'level=INFO source=server.go:376 msg="starting llama server" cmd="/usr/lib/ollama/runner"',
    'load-end': 'llama_new_context_with_model: n_ctx      = 8192',
    'kv-allocated': 'llama_kv_cache_init:      CUDA0 KV buffer size =  1024.00 MiB',
    ready: 'level=INFO source=server.go:594 msg="llama runner started in 4.02 seconds"',
    served: gin(200, '/api/chat'),
  },
  mistralrs: {
    ready: 'Serving on http://0.0.0.0:1234.',
  },
};

const milestones = (declared: string, lines: readonly string[]) =>
  readEngine(anInput({ declared, log: `${lines.join('\n')}\n` })).milestones.map(({ milestone }) => milestone);

describe('a start of an engine', () => {
  // The real order of a kill while the tensors are read (llama_model::load_tensors).
  it.each([
    'Multi-thread loading shards: 100% Completed | 142/142 [00:25<00:00,  5.66it/s]',
    'Loading safetensors checkpoint shards:  25% Completed | 1/4 [00:02<00:08,  2.9s/it]',
  ])('the shards that SGLang counts are its load: %s', (line) => {
    expect(milestones('sglang', [line])).toEqual(['load-begin']);
  });

  it.each(['llama.cpp', 'ollama'])('%s: has not loaded what it only made room for', (engine) => {
    expect(milestones(engine, ['load_tensors:          CPU model buffer size =   296.10 MiB'])).toEqual(['load-begin']);
  });

  it.each(Object.entries(STARTS))(
    '%s: each step is seen by its line, and one that ends early shows no more',
    (engine, steps) => {
      const [names, lines] = [Object.keys(steps), Object.values(steps)];
      for (let reached = 1; reached <= names.length; reached += 1) {
        expect(milestones(engine, lines.slice(0, reached))).toEqual(names.slice(0, reached));
      }
    },
  );
});

describe('what is no service', () => {
  it('the request that SGLang sends itself', () => {
    const start = Object.values(STARTS.sglang ?? {}).slice(0, 6);
    const own = 'INFO:     127.0.0.1:51000 - "POST /generate HTTP/1.1" 200 OK';
    const seen = milestones('sglang', [...start, 'INFO:     Application startup complete.', own]);

    expect(seen).not.toContain('served');
    expect(seen).not.toContain('ready');
  });

  it.each([
    ['a refused request', 'llama.cpp', 'srv  log_server_r: request: POST /completion 127.0.0.1 503'],
    ['a question about the model', 'ollama', gin(200, '/api/show')],
    ['an answer without success', 'ollama', gin(500, '/api/chat')],
    ['a port opened before the load', 'llama.cpp', 'main: HTTP server is listening, hostname: 127.0.0.1, port: 8080'],
  ])('%s', (_, engine, line) => {
    expect(milestones(engine, [line])).toEqual([]);
  });

  it('a tail of a log of SGLang that shows only answers shows service', () => {
    expect(milestones('sglang', ['INFO:     10.0.0.7:1 - "POST /v1/completions HTTP/1.1" 200 OK'])).toEqual(['served']);
  });
});

it.each([
  ['vllm', 'INFO 07-10 10:00:05 [api_server.py:1289] vLLM API server version 0.9.1', '0.9.1'],
  ['vllm', 'vLLM server version 0.25.1, serving model acme/m', '0.25.1'],
  ['vllm', '(APIServer pid=1) INFO 09-10 [utils.py:292]  ▄▄ ▄█ █     █     █ ▀▄▀ █  version 0.25.1', '0.25.1'],
  ['vllm', 'INFO [core.py:69] Initializing a V1 LLM engine (v0.9.2) with config: model=x', '0.9.2'],
  ['vllm', 'ERROR [dump_input.py:69] Dumping input data for V1 LLM engine (v0.9.2) with config: model=x', '0.9.2'],
  ['tensorrt-llm', '[TensorRT-LLM] TensorRT-LLM version: 0.17.0.post1', '0.17.0.post1'],
  ['tensorrt-llm', '[TensorRT-LLM][INFO] Engine version 0.12.0 found in the config file, assuming', '0.12.0'],
  ['triton', '| server_version                   | 2.43.0                       |', '2.43.0'],
  ['llama.cpp', 'build: 4277 (c5ede384) with cc (Ubuntu 11.4.0) 11.4.0 for x86_64-linux-gnu', '4277'],
  ['ollama', 'level=INFO msg="Listening on 127.0.0.1:11434 (version 0.12.6)"', '0.12.6'],
  ['vllm', 'INFO 03-29 18:46:05 [logo.py:45]  ▄▄ ▄█ █     █     █ ▀▄▀ █  ▄▄▄  █    █', undefined],
  ['ollama', 'Listening on port 8080 (version unknown)', undefined],
  ['triton', 'server_version is not set', undefined],
])('the version of %s in "%s" is %s', (declared, line, version) => {
  expect(readEngine(anInput({ declared, log: `${line}\n` })).version?.value).toBe(version);
});

it.each([
  ['INFO [core.py:69] Initializing a V1 LLM engine (v0.9.2) with config: model=x', 'V1'],
  ['INFO [llm_engine.py:230] Initializing a V0 LLM engine (v0.9.2) with config: model=x', 'V0'],
  ['INFO 12-17 [gpu_executor.py:76] # GPU blocks: 3852, # CPU blocks: 4096', 'V0'],
  ['INFO 07-10 10:00:50 [gpu_worker.py:227] Available KV cache memory: 52.25 GiB', 'V1'],
  ['INFO 07-10 10:00:31 [gpu_model_runner.py:1624] Model loading took 14.5000 GiB and 5.1 seconds', undefined],
])('the generation of vLLM: %s', (line, generation) => {
  expect(readEngine(anInput({ declared: 'vllm', log: `${line}\n` })).generation?.value).toBe(generation);
});
