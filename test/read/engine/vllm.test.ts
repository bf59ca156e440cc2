import { describe, expect, it } from 'vitest';
import type { EngineInput } from '../../../src/model/engine-reader.ts';
import { ENGINE_READERS, readEngine } from '../../../src/read/engine/index.ts';
import { vllmReader } from '../../../src/read/engine/vllm.ts';
import { anInput } from './an-input.ts';

const GIB = 1024 ** 3;

const V1_START = `INFO 07-10 10:00:00 [__init__.py:243] Automatically detected platform cuda.
INFO 07-10 10:00:05 [api_server.py:1289] vLLM API server version 0.9.1
INFO 07-10 10:00:05 [cli_args.py:309] non-default args: {'model': 'org/m', 'max_model_len': 8192}
INFO 07-10 10:00:10 [core.py:70] Initializing a V1 LLM engine (v0.9.1) with config: model='org/m', max_seq_len=8192
INFO 07-10 10:00:15 [gpu_model_runner.py:1595] Starting to load model org/m...
Loading safetensors checkpoint shards: 100% Completed | 4/4 [00:04<00:00,  1.03s/it]
INFO 07-10 10:00:30 [default_loader.py:272] Loading weights took 4.18 seconds
INFO 07-10 10:00:31 [gpu_model_runner.py:1624] Model loading took 14.5000 GiB and 5.1 seconds
INFO 07-10 10:00:50 [gpu_worker.py:227] Available KV cache memory: 52.25 GiB
INFO 07-10 10:00:51 [kv_cache_utils.py:715] GPU KV cache size: 427,936 tokens
INFO 07-10 10:00:51 [kv_cache_utils.py:719] Maximum concurrency for 8,192 tokens per request: 52.24x
Capturing CUDA graph shapes:  50%|█████     | 33/67 [00:10<00:10,  3.3it/s]
INFO 07-10 10:01:10 [gpu_model_runner.py:2048] Graph capturing finished in 19 secs, took 0.50 GiB
INFO 07-10 10:01:10 [core.py:171] init engine (profile, create kv cache, warmup model) took 39.11 seconds
INFO 07-10 10:01:12 [api_server.py:1336] Starting vLLM API server 0 on http://0.0.0.0:8000
INFO:     Application startup complete.
INFO:     10.0.0.7:58280 - "POST /v1/chat/completions HTTP/1.1" 200 OK
`;

const V0_START = `INFO 02-17 19:14:31 api_server.py:840] vLLM API server version 0.6.6
INFO 02-17 19:14:40 model_runner.py:1094] Starting to load model org/m...
INFO 02-17 19:15:00 model_runner.py:1099] Loading model weights took 14.5000 GB
INFO 02-17 19:15:10 worker.py:241] Memory profiling takes 3.52 seconds
INFO 02-17 19:15:10 worker.py:241] the current vLLM instance can use total_gpu_memory (79.33GiB) x gpu_memory_utilization (0.90) = 71.40GiB
INFO 02-17 19:15:10 worker.py:241] model weights take 14.50GiB; non_torch_memory takes 0.25GiB; PyTorch activation peak memory takes 4.50GiB; the rest of the memory reserved for KV Cache is 52.25GiB.
INFO 02-17 19:15:11 gpu_executor.py:76] # GPU blocks: 1000, # CPU blocks: 512
INFO 02-17 19:15:13 model_runner.py:1415] Capturing cudagraphs for decoding. This may lead to unexpected consequences if the model is not static.
INFO 02-17 19:15:40 model_runner.py:1535] Graph capturing finished in 25 secs, took 0.50 GiB
`;

const milestones = (input: EngineInput) => readEngine(input).milestones.map(({ milestone }) => milestone);

describe('a start of V1', () => {
  it('passes all milestones, each cited where it is seen first', () => {
    const { milestones: seen } = readEngine(anInput({ log: V1_START }));

    expect(seen.map(({ milestone, from }) => [milestone, from.kind === 'line' ? from.line : 0])).toEqual([
      ['started', 1],
      ['load-begin', 5],
      ['load-end', 7],
      ['profiled', 9],
      ['kv-allocated', 10],
      ['graphs-begin', 12],
      ['graphs-end', 13],
      ['ready', 14],
      ['served', 17],
    ]);
  });

  it.each([
    ['load', 5, 'load-begin'],
    ['profiling', 8, 'load-end'],
    ['KV cache', 9, 'profiled'],
    ['graph capture', 12, 'graphs-begin'],
  ])('that ends in %s shows no more than it reached', (_, lines, last) => {
    const log = V1_START.split('\n').slice(0, lines).join('\n');

    expect(milestones(anInput({ log })).at(-1)).toBe(last);
  });

  it('tells its version, arguments and figures', () => {
    const reading = readEngine(anInput({ log: V1_START }));

    expect(reading.engine).toBe('vllm');
    expect(reading.version).toMatchObject({ value: '0.9.1', from: { line: 2 } });
    expect(reading.args.at(-1)).toMatchObject({ flag: '--max-model-len', value: '8192' });
    expect(reading.figures).toMatchObject({
      weightsBytes: { value: 14.5 * GIB },
      kvBytes: { value: 52.25 * GIB },
      kvTokens: { value: 427_936 },
      graphBytes: { value: 0.5 * GIB },
      maxConcurrency: { value: 52.24 },
    });
    expect(reading.figures).not.toHaveProperty('kvNeededBytes');
  });
});

describe('a start of V0', () => {
  it('is read by its own lines; blocks are told as tokens', () => {
    const reading = readEngine(anInput({ log: V0_START }));

    expect(reading.milestones.map(({ milestone }) => milestone)).toEqual([
      'started',
      'load-begin',
      'load-end',
      'profiled',
      'kv-allocated',
      'graphs-begin',
      'graphs-end',
    ]);
    expect(reading.figures).toMatchObject({
      weightsBytes: { value: 14.5 * GIB },
      kvBytes: { value: 52.25 * GIB },
      kvTokens: { value: 16_000 },
    });
  });

  it('counts blocks by the size that was set', () => {
    const words = [
      { value: '--block-size=32', from: { kind: 'field', file: 'pod.json', path: '/a', text: 'x' } },
    ] as const;

    expect(readEngine(anInput({ log: V0_START, argumentWords: words })).figures.kvTokens?.value).toBe(32_000);
  });
});

it('a refusal for want of KV room gives what is needed, what there is, and what would fit', () => {
  const log =
    "ValueError: To serve at least one request with the models's max seq len (131072), (16.00 GiB KV cache is needed, which is larger than the available KV cache memory (9.50 GiB). Based on the available memory, the estimated maximum model length is 77824. Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.\n";

  expect(readEngine(anInput({ log })).figures).toMatchObject({
    kvNeededBytes: { value: 16 * GIB },
    kvBytes: { value: 9.5 * GIB },
    estimatedMaxLen: { value: 77_824 },
  });
});

const STATS = (running: number, tps: string) =>
  `INFO 07-10 10:00:00 [loggers.py:118] Engine 000: Avg prompt throughput: ${tps} tokens/s, Avg generation throughput: 0.0 tokens/s, Running: ${running} reqs, Waiting: 0 reqs, GPU KV cache usage: 0.0%, Prefix cache hit rate: 0.0%\n`;

it.each([
  ['an answered request', 'INFO:     10.0.0.7:1 - "POST /v1/completions HTTP/1.1" 200 OK\n', true],
  ['a request taken in', 'INFO 07-10 10:00:00 [async_llm.py:270] Added request chatcmpl-1.\n', true],
  ['requests at work', STATS(2, '0.0'), true],
  ['tokens read', STATS(0, '12.5'), true],
  ['an idle server', STATS(0, '0.0'), false],
  ['a probe', 'INFO:     10.0.0.7:1 - "GET /health HTTP/1.1" 200 OK\n', false],
  ['a refused request', 'INFO:     10.0.0.7:1 - "POST /v1/completions HTTP/1.1" 400 Bad Request\n', false],
])('whether it served: %s', (_, log, expected) => {
  expect(milestones(anInput({ log, declared: 'vllm' })).includes('served')).toBe(expected);
});

describe('which engine it is', () => {
  it.each([
    ['by the image', { image: 'docker.io/vllm/vllm-openai:v0.9.1' }, 'vllm'],
    ['by the image of another', { image: 'lmsysorg/sglang:v0.5.1' }, 'sglang'],
    ['by the command', { image: 'registry/own:1', command: ['vllm', 'serve', 'm'] }, 'vllm'],
    ['by the module', { command: ['python3', '-m', 'vllm.entrypoints.openai.api_server'] }, 'vllm'],
    ['by the module of another', { command: ['python3', '-m', 'sglang.launch_server'] }, 'sglang'],
    ['by its label', { labels: { 'app.kubernetes.io/name': 'vllm' } }, 'vllm'],
    ['by its name, whatever the image says', { declared: 'sglang', image: 'vllm/vllm-openai' }, 'sglang'],
    ['by the name of a fork', { declared: 'vllm-ascend' }, 'vllm'],
    ['by the log, where the name is that of an operator', { declared: 'kserve', log: V1_START }, 'vllm'],
    ['by the log', { log: 'The server is fired up and ready to roll!\n' }, 'sglang'],
    [
      'by frames of its files',
      { log: '  File "/x/vllm/v1/worker/gpu_worker.py", line 1, in determine_available_memory\n' },
      'vllm',
    ],
    ['by the image of TGI', { image: 'ghcr.io/huggingface/text-generation-inference:3.3.7' }, 'tgi'],
    ['by trtllm-serve', { command: ['trtllm-serve', 'serve', 'm'] }, 'tensorrt-llm'],
    [
      'by the engine inside Triton',
      { image: 'nvcr.io/nvidia/tritonserver:24.05-py3', log: '[TensorRT-LLM][INFO] TRTGptModel maxBatchSize: 64\n' },
      'tensorrt-llm',
    ],
    ['by Triton where no engine speaks', { image: 'nvcr.io/nvidia/tritonserver:24.05-py3' }, 'triton'],
    ['by the command of LMDeploy', { command: ['lmdeploy', 'serve', 'api_server', 'm'] }, 'lmdeploy'],
    ['by the server of llama.cpp', { command: ['/app/llama-server', '-m', 'm.gguf'] }, 'llama.cpp'],
    [
      'by Ollama around llama.cpp',
      { image: 'ollama/ollama:0.5.4', log: 'llama_model_loader: loaded meta data with 27 key-value pairs\n' },
      'ollama',
    ],
    ['by nothing, but it has a name', { declared: 'own-engine' }, 'own-engine'],
    ['by nothing at all', {}, 'unknown'],
  ])('is told %s', (_, over, engine) => {
    expect(readEngine(anInput(over)).engine).toBe(engine);
  });

  it('takes the version from the tag of the image where the log has none and the place is known', () => {
    const imageFrom = { kind: 'field', file: 'pod.json', path: '/spec/containers/0/image', text: '"x"' } as const;
    const image = 'vllm/vllm-openai:v0.9.1';

    expect(vllmReader.read(anInput({ image, imageFrom })).version?.value).toBe('0.9.1');
    expect(vllmReader.read(anInput({ image })).version).toBeUndefined();
  });
});

// What a server around engines is called is worth less than any line of an engine in its log.
const BELOW_A_LINE = 0.58;

it.each(ENGINE_READERS.map((reader) => [reader.engine, reader] as const))(
  'every reader: %s answers an empty input with nothing and a confidence from 0 to 1',
  (_, reader) => {
    expect(reader.detect(anInput())).toBe(0);
    expect(reader.detect(anInput({ declared: reader.engine }))).toBe(reader.isHost === true ? BELOW_A_LINE : 1);
    expect(reader.read(anInput())).toMatchObject({ args: [], milestones: [], figures: {}, version: undefined });
  },
);
