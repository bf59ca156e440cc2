import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fitFor, parseWanted, reckonBudget } from '../../../src/app/budget/budget.ts';
import type { SnapshotSource } from '../../../src/app/ports.ts';
import { readEngineEvidence } from '../../../src/app/triage/diagnose.ts';
import { readFolder } from '../../../src/folder/read-folder.ts';
import { OomError } from '../../../src/model/errors.ts';
import { budgetMessage } from '../../../src/report/budget.ts';
import { BOOK } from '../../budget/fits.ts';
import { aSnapshot, COMPILED_SIGNATURES, PLAYBOOKS } from '../../playbooks/shipped.ts';

const evidence = (source: SnapshotSource) => readEngineEvidence(source, COMPILED_SIGNATURES, BOOK);
const deps = { book: BOOK, evidence };
const incident = (name: string) => readFolder(join(PLAYBOOKS, 'oom/incidents', name));

const START = [
  "(EngineCore_DP0 pid=212) INFO 09-14 10:00:21 [core.py:644] Initializing a V1 LLM engine (v0.11.0) with config: model='meta-llama/Llama-3.1-8B-Instruct', tensor_parallel_size=1, max_seq_len=40960",
  '(EngineCore_DP0 pid=212) INFO 09-14 10:01:13 [gpu_model_runner.py:2653] Model loading took 14.9889 GiB and 40.120 seconds',
  '(EngineCore_DP0 pid=212) INFO 09-14 10:01:40 [gpu_worker.py:298] Available KV cache memory: 19.92 GiB',
  '(EngineCore_DP0 pid=212) INFO 09-14 10:01:41 [kv_cache_utils.py:864] GPU KV cache size: 163,168 tokens',
  '(EngineCore_DP0 pid=212) INFO 09-14 10:01:41 [kv_cache_utils.py:868] Maximum concurrency for 40,960 tokens per request: 3.98x',
].join('\n');

describe('the budget of a snapshot', () => {
  it('comes from the lines of the start and the metrics', async () => {
    const source = aSnapshot({
      'current.log': START,
      'args.txt': 'vllm serve meta-llama/Llama-3.1-8B-Instruct --max-model-len 40K --max-num-seqs 8',
      'metrics.txt': 'vllm:kv_cache_usage_perc{engine="0"} 0.5\nvllm:num_requests_running{engine="0"} 4.0\n',
    });

    const outcome = await reckonBudget(source, deps, { wanted: [parseWanted('--max-model-len=8K')] });

    expect(outcome).toMatchObject({
      kind: 'budget',
      budget: {
        engine: 'vllm',
        version: '0.11.0',
        kv: { basis: 'printed', blocks: { value: 10_198 }, tokens: { value: 163_168 } },
        load: { usedBlocks: { value: 5099 }, batchAllows: { value: 4 }, moreRequests: { value: 4 } },
        now: { lengthTokens: 40_960, atOnce: { value: 3 } },
        proposal: { after: { lengthTokens: 8192, atOnce: { value: 8 } } },
      },
    });
  });

  it('comes from the metrics alone where the start of the log is gone', async () => {
    const source = aSnapshot({
      'args.txt': 'vllm serve meta-llama/Llama-3.1-8B-Instruct --max-model-len 65536',
      'metrics.txt': [
        'vllm:num_requests_running{engine="0",model_name="m"} 40',
        'vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.8',
        'vllm:cache_config_info{block_size="16",num_gpu_blocks="7177",gpu_memory_utilization="0.9"} 1',
      ].join('\n'),
    });

    expect(await reckonBudget(source, deps)).toMatchObject({
      budget: {
        kv: { basis: 'printed', blocks: { value: 7177 }, tokens: { value: 114_832 }, blockTokens: 16 },
        load: { usedBlocks: { value: 7177 * 0.8 }, blocksPerRequest: { value: (7177 * 0.8) / 40 } },
        now: { fraction: 0.9 },
      },
    });
  });

  it.each([
    ['--max-model-len=-5', /takes a whole number from 1 on.*, and not -5/],
    ['--max_model_len=long', /takes a whole number from 1 on.*, and not long/],
    ['--max-model-len=auto', /leaves it to the engine, so there is nothing to sum/],
    ['--max-num-seqs=0', /takes a whole number from 1 on/],
    ['--tensor-parallel-size=-2', /takes a whole number from 1 on/],
    ['--gpu-memory-utilization=7', /a share above 0 and up to 1, and not 7/],
    ['--gpu-memory-utilization=-0.5', /a share above 0 and up to 1, and not -0\.5/],
  ])('is refused for %s, which no engine takes', async (typed, says) => {
    const source = await incident('startup-kv-room');

    await expect(reckonBudget(source, deps, { wanted: [parseWanted(typed)] })).rejects.toThrow(says);
  });

  it('takes what Ollama is told by variables of its container', async () => {
    const env = [
      { name: 'OLLAMA_CONTEXT_LENGTH', value: '16384' },
      { name: 'OLLAMA_NUM_PARALLEL', value: '4' },
    ];
    const containers = [{ name: 'ollama', image: 'ollama/ollama:0.6.2', env }];
    const pod = { metadata: { name: 'ollama-0', namespace: 'llm' }, spec: { containers } };

    const outcome = await reckonBudget(aSnapshot({ 'pod.json': JSON.stringify(pod) }), deps);

    const edits = outcome.kind === 'budget' ? outcome.budget.profiles[0]?.edits : undefined;
    expect(edits?.map(({ flag, from, to }) => [flag, from, to])).toEqual([
      ['OLLAMA_CONTEXT_LENGTH', '16384', '4096'],
      ['OLLAMA_NUM_PARALLEL', '4', '1'],
      ['OLLAMA_MAX_LOADED_MODELS', null, '1'],
    ]);
  });

  it('is none where no engine is recognised', async () => {
    expect(await reckonBudget(aSnapshot({ 'current.log': 'hello' }), deps)).toMatchObject({ kind: 'none' });
    expect(await reckonBudget(aSnapshot({}), deps)).toMatchObject({ kind: 'none' });
  });

  it('of a refusal for want of KV room says that the engine does not start', async () => {
    const outcome = await reckonBudget(await incident('startup-kv-room'), deps);

    expect(outcome).toMatchObject({ kind: 'budget', budget: { now: { start: { kind: 'refuses' } } } });
  });
});

describe('a profile for a snapshot', () => {
  const profileFor = async (name: string, direction: 'raise' | 'lower', profile: 'conservative' | 'emergency') =>
    fitFor(await evidence(await incident(name)), { book: BOOK, profile, direction });

  it('follows the signature: no KV room means no lower fraction', async () => {
    const found = await profileFor('startup-kv-room', 'raise', 'conservative');

    expect(found).toMatchObject({
      kind: 'fitted',
      edits: expect.arrayContaining([expect.objectContaining({ flag: '--max-model-len', from: '65536', to: '4096' })]),
    });
    const fraction = found.kind === 'fitted' ? found.edits.find(({ flag }) => /util/.test(flag)) : undefined;
    expect(Number(fraction?.to ?? 1)).toBeGreaterThanOrEqual(0.9);
  });

  it('is none for an engine that is not known', async () => {
    const found = fitFor(await evidence(aSnapshot({})), { book: BOOK, profile: 'emergency', direction: 'lower' });

    expect(found.kind).toBe('none');
  });
});

describe('an argument as somebody types it', () => {
  it.each([
    ['--max-model-len=8192', { flag: '--max-model-len', text: '8192', number: 8192 }],
    ['--max-model-len 8K', { flag: '--max-model-len', text: '8K', number: 8192 }],
    ['--gpu-memory-utilization=0.9', { flag: '--gpu-memory-utilization', text: '0.9', number: 0.9 }],
    ['--enforce-eager', { flag: '--enforce-eager', text: null }],
    ['OLLAMA_NUM_PARALLEL=1', { flag: 'OLLAMA_NUM_PARALLEL', text: '1', number: 1 }],
    ['kv_cache_config.free_gpu_memory_fraction=0.8', { flag: 'kv_cache_config.free_gpu_memory_fraction', number: 0.8 }],
  ])('%s', (text, expected) => {
    expect(parseWanted(text)).toMatchObject(expected);
  });

  it.each(['', '8192', '=8', '--'])('“%s” is refused', (text) => {
    expect(() => parseWanted(text)).toThrow(OomError);
  });
});

describe('a model whose name tells nothing, and a cache that the engine counts in tokens', () => {
  const V0 = [
    "INFO 09-14 08:00:12 llm_engine.py:237] Initializing an LLM engine (v0.6.3.post1) with config: model='/opt/nim/workspace', max_seq_len=131072, tensor_parallel_size=1",
    'INFO 09-14 08:00:30 model_runner.py:1067] Loading model weights took 14.9888 GB',
    'INFO 09-14 08:00:40 gpu_executor.py:122] # GPU blocks: 2788, # CPU blocks: 2048',
  ];
  const CONCURRENCY = (x: string) =>
    `INFO 09-14 08:00:40 gpu_executor.py:126] Maximum concurrency for 131072 tokens per request: ${x}x`;
  const REFUSED =
    "ValueError: The model's max seq len (131072) is larger than the maximum number of tokens that can be stored in KV cache (44608). Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.";
  const budgetOf = async (...lines: readonly string[]) => {
    const source = aSnapshot({
      'current.log': `${[...V0, ...lines].join('\n')}\n`,
      'incident.json': JSON.stringify({ engine: 'vllm', gpu: { model: 'NVIDIA A10G', memory_gib: 22.49 } }),
    });
    const outcome = await reckonBudget(source, deps);
    if (outcome.kind !== 'budget') throw new Error(outcome.kind);
    return outcome.budget;
  };
  const lengths = async (...lines: readonly string[]) =>
    (await budgetOf(...lines)).profiles.map(({ edits }) => edits.find(({ flag }) => flag === '--max-model-len')?.to);

  it.each([
    ['its ratio', [CONCURRENCY('0.34')]],
    ['its refusal', [REFUSED]],
  ])('give no profile a length above what it holds by %s, and prove its start', async (_, lines) => {
    const { profiles, now } = await budgetOf(...lines);

    expect(await lengths(...lines)).toEqual(['4096', '32768', '42368']);
    expect(profiles.map(({ start }) => start)).toEqual(profiles.map(() => ({ kind: 'starts', proven: true })));
    expect(now.start).toMatchObject({ kind: 'refuses', why: expect.stringContaining('44,608 tokens (engine log)') });
  });

  it('leave the length alone where one sequence fits by the ratio, whatever the tokens say', async () => {
    expect((await lengths(CONCURRENCY('1.20'))).at(-1)).toBeUndefined();
    expect((await budgetOf(CONCURRENCY('1.20'))).now.start).toMatchObject({ kind: 'starts' });
  });

  it('have a size that is marked as a guess', async () => {
    const { rows } = await budgetOf(CONCURRENCY('0.34'));

    expect(rows.find(({ name }) => name === 'KV cache')?.note).toBe('estimated');
  });
});

describe('a buffer that the device refused', () => {
  const LOG = [
    'build: 9400 (1a2b3c4d) with GNU 13.3.0 for Linux x86_64',
    'load_tensors: offloaded 49/49 layers to GPU',
    'load_tensors:        CUDA0 model buffer size = 14200.00 MiB',
    'llama_context: n_ctx         = 131072',
    'llama_kv_cache:      CUDA0 KV buffer size = 24576.00 MiB',
    'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 8900.00 MiB on device 0: cudaMalloc failed: out of memory',
    'ggml_gallocr_reserve_n_impl: failed to allocate CUDA0 buffer of size 9332326400',
    'graph_reserve: failed to allocate compute buffers',
  ];
  const startOf = async (lines: readonly string[], wanted: string[] = []) => {
    const source = aSnapshot({
      'current.log': `${lines.join('\n')}\n`,
      'args.txt': 'llama-server -m m.gguf -c 131072 -ngl 99\n',
      'incident.json': JSON.stringify({ engine: 'llama.cpp', gpu: { model: 'L40S', memory_gib: 45 } }),
    });
    const outcome = await reckonBudget(source, deps, { wanted: wanted.map(parseWanted) });
    if (outcome.kind !== 'budget') throw new Error(outcome.kind);
    return { now: outcome.budget.now.start, after: outcome.budget.proposal?.after.start };
  };

  it('ends the start with what is in force, and not yet with another context', async () => {
    const { now, after } = await startOf(LOG, ['--ctx-size=8192']);

    expect(now).toMatchObject({ kind: 'refuses', why: expect.stringContaining('compute buffer (8.69 GiB)') });
    expect(after).toMatchObject({ kind: 'starts' });
  });

  it('is forgotten where the server tried again and came up', async () => {
    const up = 'main: server is listening on http://0.0.0.0:8080 - starting the main loop';

    expect((await startOf([...LOG, up])).now).toMatchObject({ kind: 'starts' });
  });
});

it('an estimate that leans to the safe side is no proof that nothing is left for the cache', async () => {
  const source = aSnapshot({
    'current.log': 'INFO text_generation_launcher: Default `max_batch_prefill_tokens` to 32000\n',
    'args.txt': 'text-generation-launcher --model-id Qwen/Qwen2.5-14B-Instruct --max-total-tokens 32768\n',
    'incident.json': JSON.stringify({
      engine: 'tgi',
      engine_version: '3.3.6',
      gpu: { model: 'L40S', memory_gib: 44.99 },
    }),
  });
  const outcome = await reckonBudget(source, deps);
  if (outcome.kind !== 'budget') throw new Error(outcome.kind);

  expect(outcome.budget.kv).toMatchObject({ basis: 'estimated', tokens: { value: 0 } });
  expect(budgetMessage(outcome.budget).summary).toContain('capacity unknown');
});
