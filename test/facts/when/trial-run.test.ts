import { describe, expect, it } from 'vitest';
import { diagnoseFiles, type Files, known, logged, valueOfFact, verdictOfFiles } from '../incident.ts';

const GIB = 1024 ** 3;

const diagnosed = (log: string, more: Files = {}) => diagnoseFiles({ ...logged(log), ...more });

const factOf = async (id: string, ...given: Parameters<typeof diagnosed>) =>
  valueOfFact((await diagnosed(...given)).facts, id);

const verdictOf = async (...given: Parameters<typeof diagnosed>) => (await diagnosed(...given)).diagnosis.verdict;

const noted = (engine: string, uptime?: string) => known({ engine, uptime });

// 14 of 16 GiB in live tensors and a small one refused: a trial run would end about here.
const account =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 226.00 MiB. GPU 0 has a total capacity of 16.00 GiB of which 71.25 MiB is free. Including non-PyTorch memory, this process has 14.30 GiB memory in use. Of the allocated memory 14.00 GiB is allocated by PyTorch, and 67.00 MiB is reserved by PyTorch but unallocated.';

it.each([
  ['vllm', 'gpu.startup.profiling'],
  ['tgi', 'gpu.startup.profiling'],
  ['sglang', 'gpu.startup.weights'],
  ['lmdeploy', 'gpu.startup.weights'],
  ['text-generation-webui (transformers)', 'gpu.startup.weights'],
  ['some-engine', 'gpu.startup.weights'],
])('an engine that has no trial run: %s: %s is likeliest', async (engine, cause) => {
  const verdict = await verdictOf(account, noted(engine, 'startup'));

  expect(verdict).toMatchObject({ plane: 'gpu', phase: 'startup', cause, certain: true, causeCertain: false });
});

it('vLLM’s workers take calls after they have loaded', async () => {
  const line = "RuntimeError: Worker failed with error 'CUDA error: out of memory";

  const verdict = await verdictOf(line, noted('vllm', 'startup'));
  expect(verdict).toMatchObject({ phase: 'startup', cause: 'gpu.startup.utilization', certain: true });
  expect(verdict.causeCertain).toBe(false);
});

it.each([
  ['Model', 'gpu.startup.weights'],
  ['KV cache', 'gpu.startup.kv-room'],
])('TensorRT-LLM names what it could not create: %s', async (component, cause) => {
  const said = ['RuntimeError: Executor creation failed due to insufficient GPU memory.', ''];
  const log = [...said, `The following component could not be created: ${component}`].join('\n');
  const verdict = await verdictOf(log, noted('tensorrt-llm'));

  expect(verdict).toMatchObject({ plane: 'gpu', phase: 'startup', cause, certain: true });
});

it.each([
  ['transformers (some model)', true],
  ['text-generation-webui', true],
  ['torchserve', true],
  ['compressed-tensors', true],
  ['vllm via KAITO', false],
  ['sglang 0.4.2 (olmocr)', false],
  ['some-engine', undefined],
])('%s hands each request to the model: %s', async (engine, expected) => {
  expect(await factOf('engine.hands-over', 'RuntimeError: CUDA error: out of memory', noted(engine))).toBe(expected);
});

it.each([
  ['an engine that runs a model of the library', 'vllm', undefined, false],
  ['an image that bears the library’s name', undefined, 'registry.example/transformers-api:1', true],
])('frames of transformers in %s', async (_, engine, image, expected) => {
  const frame = '  File "/usr/lib/python3.12/site-packages/transformers/generation/utils.py", line 2215, in generate';
  const pod = { spec: { containers: [{ name: 'some', image }] }, status: { phase: 'Running' } };
  const log = `Traceback (most recent call last):\n${frame}\nRuntimeError: CUDA error: out of memory`;
  const files = image === undefined ? noted(engine ?? '') : { 'pod.json': JSON.stringify(pod) };
  const { facts } = await diagnosed(log, files);

  expect(facts.get('engine.hands-over')).toMatchObject({ kind: 'known', value: expected });
  expect(facts.get('engine.trial-run')).toMatchObject({ kind: 'known', value: !expected });
});

it.each([
  ['vllm', true],
  ['ollama', false],
  ['some-engine', true],
])('a remedy for %s speaks of a fraction of GPU memory: %s', async (engine, isTold) => {
  const log =
    'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB. GPU 0 has a total capacity of 79.18 GiB of which 1.08 GiB is free.';
  const { diagnosis } = await diagnosed(log, noted(engine, '3 hours'));
  const { phase, remedies } = diagnosis.verdict;
  const urgent = remedies.filter(({ kind }) => kind === 'stop-bleed');

  expect(phase).toBe('burst');
  expect(urgent).not.toEqual([]);
  expect(urgent.some(({ says }) => says.includes('fraction'))).toBe(isTold);
});

it.each([
  ['tabbyAPI (exllamav2)', 'startup'],
  ['vllm', 'burst'],
])('frames of a load in %s that has run for hours: %s', async (engine, phase) => {
  const frame = '  File "/usr/lib/python3.12/site-packages/some/linear.py", line 138, in load';
  const log = ['Traceback (most recent call last):', frame, 'torch.OutOfMemoryError: CUDA out of memory.'].join('\n');

  expect(await verdictOf(log, noted(engine, '3 hours'))).toMatchObject({ plane: 'gpu', phase });
});

it('one request against the whole model is the trial run where no weight is as large, whatever the card', async () => {
  const line = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.25 GiB.';
  const files = { 'args.txt': 'vllm serve org/Some-7B', ...noted('vllm', 'startup') };

  expect(await verdictOf(line, files)).toMatchObject({ causeCertain: false });
});

describe('an engine that wakes up', () => {
  const OOM = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.';
  const TMS = '[torch_memory_saver.cpp]';
  const asked = 'WARNING:2025-11-28 16:00:45,396:Async request to resume_memory_occupation timed out (attempt 1)';
  const created = `${TMS} CUresult error: 2 (out of memory)  file=csrc/utils.h func=cu_mem_create line=194`;
  const resumed = `${TMS} cudaError error: 2 (out of memory)  file=csrc/core.cpp func=resume line=172`;
  const frame = (name: string, file = 'gpu_worker.py') => `  File "/opt/vllm/v1/worker/${file}", line 150, in ${name}`;
  const call = (path: string, status: number) =>
    `INFO:     10.1.2.3:404 - "POST ${path} HTTP/1.1" ${status} Some Words`;

  it.each([
    ['the line names the waking', resumed, 'gpu.startup.shared-gpu'],
    ['the trainer waits for it', `${created}\n${asked}`, 'gpu.startup.shared-gpu'],
    ['near miss: it had woken', `It took 0.8 seconds to wake up.\n${created}`, 'gpu.startup.weights'],
    ['a frame cut off', `    python_create_and_map(*allocation_handle)\n${OOM}`, 'gpu.startup.shared-gpu'],
    ['the frames are those of vLLM', `${frame('wake_up')}\n${OOM}`, 'gpu.startup.shared-gpu'],
    ['near miss: it had been taken back', `${created}\n${call('/wake_up', 200)}`, 'gpu.startup.weights'],
  ])('%s', async (_name, log, cause) => {
    const { diagnosis } = await diagnosed(log, noted('unnamed', 'minutes'));

    const phase = cause === 'gpu.startup.shared-gpu' ? 'burst' : 'startup';
    expect(diagnosis.verdict).toMatchObject({ plane: 'gpu', phase, cause, certain: true });
    expect(diagnosis.verdict.causeCertain && cause === 'gpu.startup.shared-gpu').toBe(false);
  });

  it('weights that are updated while it serves are no waking', async () => {
    expect(await factOf('failure.life', `${frame('update_weights')}\n${OOM}`)).toBe('serving');
  });
});

describe('what is said before the cache is freed and asked again', () => {
  const served = 'INFO:     10.1.2.3:40412 - "POST /v1/chat/completions HTTP/1.1" 200 OK';
  const warning =
    '[rank0]:[W922 05:15:28 CUDACachingAllocator.cpp:1441] memory allocation failed with OOM on device 0 while trying to allocate 268435456 bytes (free: 20283392, total: 25250627584).';
  const retries =
    '[torch_memory_saver.cpp] cuMemCreate CUDA_ERROR_OUT_OF_MEMORY (may not be an issue e.g. torch allocator will free cache and retry)';

  it.each([
    ['current.log', warning],
    ['current.log', `${warning}\n${served}`],
    ['previous.log', `${warning}\n${served}`],
    ['current.log', retries],
    ['previous.log', `${retries}\n${served}`],
  ])('is no failure of an engine that serves on: %s, %s', async (file, lines) => {
    expect(await verdictOfFiles({ [file]: `${served}\n${lines}\n` })).toMatchObject({ plane: 'unknown' });
  });

  it('points at GPU memory where the log ends on it', async () => {
    expect(await verdictOf(`${served}\n${warning}`)).toMatchObject({ plane: 'gpu', certain: false });
  });

  it('has the figures that the error itself does not print', async () => {
    const error = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 256.00 MiB.';
    const { facts } = await diagnosed(`${warning}\n${error}`);

    expect(facts.get('gpu.want')).toMatchObject({ value: 268435456 });
    expect(facts.get('gpu.total')).toMatchObject({ value: 25250627584 });
    expect(facts.get('gpu.free')).toMatchObject({ value: 20283392 });
  });

  it('tells nothing of another request', async () => {
    const other = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.';

    expect(await factOf('gpu.total', `${warning}\n${other}`)).toBeUndefined();
  });
});

it("PyTorch's sentence over several lines names no graphs where it explains what a private pool is", async () => {
  const { diagnosis, facts } = await diagnosed(
    [
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB.',
      'GPU 3 has a total capacity of 180.00 GiB of which 21.50 MiB is free.',
      '... 150.00 GiB is allocated by PyTorch, with 71.20 GiB allocated in private pools',
      '(e.g., CUDA Graphs), and 13.63 MiB is reserved by PyTorch but unallocated.',
    ].join('\n'),
    noted('sglang', 'startup'),
  );

  expect(facts.get('gpu.allocated')).toMatchObject({ value: 150 * GIB });
  expect(diagnosis.verdict).toMatchObject({ cause: 'gpu.startup.weights', causeCertain: false });
});

describe('an indexer', () => {
  const OOM = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.';

  it('makes logits that are of no vocabulary', async () => {
    const step = '  File "/opt/vllm/v1/worker/gpu_model_runner.py", line 12, in execute_model';
    const indexer =
      '  File "/sgl-workspace/sglang/python/sglang/srt/layers/attention/nsa/nsa_indexer.py", line 601, in _get_topk_ragged\n    logits = deep_gemm.fp8_mqa_logits(';
    const log = `${step}\n${indexer}\n${OOM.replace('2.00', '36.62')}`;
    const verdict = await verdictOf(log, noted('sglang', 'minutes'));

    expect(verdict).toMatchObject({ phase: 'burst', cause: 'gpu.burst.long-context', causeCertain: false });
  });

  it('works on requests alone', async () => {
    const frame = '  File "/opt/vllm/utils/deep_gemm.py", line 210, in fp8_fp4_mqa_logits';

    const verdict = await verdictOf(`${frame}\n${OOM}`);
    expect(verdict).toMatchObject({ phase: 'burst', cause: 'gpu.burst.long-context' });
  });
});

it.each([
  ['_check_max_len_infer', 'profile'],
  ['_init_mem_manager', 'kv-cache'],
  ['_init_weights', 'load'],
  ['load_hf_weights', 'load'],
  ['init_weights_update_group', 'nothing'],
])('steps of engines that few know: %s -> %s', async (name, stage) => {
  expect(await factOf('log.stage', `  File "/opt/engine/base.py", line 3, in ${name}\nCUDA out of memory.`)).toBe(
    stage,
  );
});

const profiled =
  '(EngineCore pid=1) DEBUG 09-02 20:12:08 [gpu_worker.py:559] Memory profiling takes 13.16 seconds. Total non KV cache memory: 33.68GiB; torch peak memory increase: 0.34GiB; non-torch forward increase memory: 1.10GiB; weights memory: 0.93GiB.';
const refused = 'ValueError: No available memory for the cache blocks. Try increasing gpu_memory_utilization.';
it('what others take while the engine profiles is not blamed for little outside PyTorch', async () => {
  const card = known({ engine: 'vllm', gpu: { memory_gib: 80 } });
  const { diagnosis, facts } = await diagnosed(`${profiled}\n${refused}`, card);

  expect(facts.get('engine.weights')).toMatchObject({ value: 0.93 * GIB });
  expect(diagnosis.verdict).toMatchObject({ cause: 'gpu.startup.kv-room', certain: true });
});
