import { describe, expect, it } from 'vitest';
import { aPod, CREATED, ended } from '../../read/cluster/a-pod.ts';
import type { Files } from '../incident.ts';
import { factsOfFiles, valueOfFact } from '../incident.ts';

async function found(files: Files) {
  const facts = await factsOfFiles(files);
  return { facts, told: (id: string) => valueOfFact(facts, id) };
}

const LLAMA = { 'args.txt': 'vllm serve meta-llama/Llama-3.1-8B-Instruct' };
const SERVED = 'INFO:     10.1.2.3:40412 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n';
const cache = (labels: string) => `vllm:cache_config_info{${labels}} 1.0\n`;
const BLOCKS = 'block_size="16",num_gpu_blocks="7177",gpu_memory_utilization="0.9"';
const KV = ['kv-cache.block-tokens', 'engine.kv-tokens'] as const;

describe('the pool of vLLM, by its metrics', () => {
  it('is not known where none of them tells it', async () => {
    const files = { ...LLAMA, 'previous.log': SERVED, 'metrics.txt': 'vllm:num_requests_running 3\n' };

    expect(KV.map((await found(files)).told)).toEqual([undefined, undefined]);
  });

  it('is that of the log where the log prints it', async () => {
    const log = `INFO 09-14 10:01:41 [kv_cache_utils.py:1087] GPU KV cache size: 65,600 tokens\n${SERVED}`;

    expect(
      (await found({ ...LLAMA, 'current.log': log, 'metrics.txt': cache(BLOCKS) })).facts.get('engine.kv-tokens'),
    ).toMatchObject({ value: 65_600, from: [{ file: 'current.log' }] });
  });

  it('and its fraction count less than what was given', async () => {
    const args = { 'args.txt': 'vllm serve meta-llama/Llama-3.1-8B-Instruct --gpu-memory-utilization 0.8' };

    expect((await found({ ...args, 'metrics.txt': cache(BLOCKS) })).told('engine.utilization')).toBe(0.8);
  });
});

const START = 'INFO 09-14 10:00:02 [api_server.py:1896] vLLM API server version 0.11.0\n';
const NO_ROOM =
  'ERROR 09-14 10:00:40 [core.py:700] ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.\n';

it.each([
  ['it was refused its pool', `${START}${NO_ROOM}`],
  [
    'it came no further than its load',
    `${START}INFO 09-14 10:01:13 [gpu_model_runner.py:2653] Model loading took 17.2031 GiB and 40.120 seconds\n`,
  ],
])('metrics beside a start that failed are those of the run before it: %s', async (_name, log) => {
  const { told } = await found({ ...LLAMA, 'previous.log': log, 'metrics.txt': cache(BLOCKS) });

  expect(told('engine.kv-tokens')).toBeUndefined();
  expect(told('engine.utilization')).not.toBe(0.9);
});

describe('the pools of other engines, by their metrics', () => {
  const TRT = { 'args.txt': 'python3 -m dynamo.trtllm --model-path meta-llama/Llama-3.1-8B-Instruct' };
  const TGI = { 'args.txt': 'text-generation-launcher --model-id m' };
  const BLOCK_GAUGES =
    'trtllm_kv_cache_max_blocks{model_name="m"} 19960\ntrtllm_kv_cache_tokens_per_block{model_name="m"} 32\n';
  const HOST_POOL = 'trtllm_kv_cache_host_utilization{model_name="m"} 0\n';

  it.each([
    ['TensorRT-LLM, whose host pool is counted with it', TRT, `${BLOCK_GAUGES}${HOST_POOL}`, [32, undefined]],
    ['TGI', TGI, 'tgi_batch_max_total_tokens 40000\n', [undefined, 40_000]],
  ])('%s', async (_name, args, metrics, values) => {
    expect(KV.map((await found({ ...args, 'metrics.txt': metrics })).told)).toEqual(values);
  });

  it('SGLang: a size of zero is one that it does not count', async () => {
    const { told } = await found({ 'metrics.txt': 'sglang:kv_cache_memory_usage_gb{model_name="m"} 0.0\n' });

    expect(told('engine.kv-available')).toBeUndefined();
  });
});

it('sizes out of a series are the last before the death, of several the least of that moment', async () => {
  const id = 'kv-cache.capacity-tokens';
  const died = CREATED + 600_000;
  /** Points at seconds before and after the death. */
  const series = (engine: string, ...points: readonly (readonly [number, number])[]) => {
    const at = points.map(([seconds, value]) => [died + seconds * 1000, value]);
    return { id, unit: '', labels: { engine }, query: 'q', points: at };
  };
  const file = {
    from: CREATED,
    to: died + 60_000,
    stepMs: 15_000,
    series: [
      series('of the run before', [-45, 100], [-30, 100]),
      series('0', [-15, 400]),
      series('1', [-15, 300], [15, 7]),
      series('2', [-15, 0]),
    ],
    unknown: [],
  };

  const { facts } = await found({
    'previous.log': SERVED,
    'pod.json': JSON.stringify(aPod({ containerStatus: { restartCount: 1, lastState: ended({ to: 600 }) } })),
    'series.json': JSON.stringify(file),
  });

  const from = [{ kind: 'sample', series: id, at: died - 15_000 }];
  expect(facts.get('engine.kv-tokens')).toMatchObject({ value: 300, from });
});

const USED = 'kv-cache.used-share';

describe('the use of a pool that is not shown as a share', () => {
  const OLD_TGI = {
    'incident.json': '{"engine":"tgi"}',
    'current.log':
      '2025-01-14T10:00:45.000000Z  INFO text_generation_router_v3: backends/v3/src/lib.rs:127: Setting max batch total tokens to 40000\n',
  };
  const tgi = (current: number, total: number) =>
    `tgi_batch_current_max_tokens ${current}\ntgi_batch_max_total_tokens ${total}\n`;
  const triton = (type: string, model: string, n: number) =>
    `nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="${type}",model="${model}"} ${n}\n`;
  const pool = (model: string, used: number, max: number) => triton('used', model, used) + triton('max', model, max);
  const TRT = 'trtllm_kv_cache_used_blocks 5\ntrtllm_kv_cache_max_blocks 10\n';

  it.each([
    ['TGI: what its batch may grow to', tgi(39_500, 40_000), {}, 0.9875],
    ['TGI before 2.4, by what it logged', 'tgi_batch_current_max_tokens 20000\n', OLD_TGI, 0.5],
    ['TGI without what there is', 'tgi_batch_current_max_tokens 20000\n', {}, undefined],
    ['TGI without a pool', tgi(0, 0), {}, undefined],
    ['Triton: of two the fuller, each against its own pool', pool('a', 90, 100) + pool('b', 200, 1000), {}, 0.9],
    ['the share itself goes first', `trtllm_kv_cache_utilization 0.7\n${TRT}`, {}, 0.7],
  ])('%s', async (_name, metrics, files, share) => {
    expect((await found({ ...files, 'metrics.txt': metrics })).told(USED)).toBe(share);
  });
});
