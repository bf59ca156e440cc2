import { describe, expect, it } from 'vitest';
import { diagnoseFiles, type Files, known, logged, valueOfFact } from '../incident.ts';

const diagnosed = (log: string, more: Files = {}) => diagnoseFiles({ ...logged(log), ...more });

const factOf = async (id: string, ...given: Parameters<typeof diagnosed>) =>
  valueOfFact((await diagnosed(...given)).facts, id);

const OOM = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 350.00 MiB.';
const ACCOUNT =
  'CUDA out of memory. Tried to allocate 2.00 GiB. GPU 1 has a total capacity of 23.60 GiB of which 1.20 GiB is free.';

describe('when a failure without a date of its own was', () => {
  it.each([
    // A line beside it, of the same memory, has a time.
    [
      'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 9000.00 MiB on device 0: cudaMalloc failed: out of memory\nllama_init_from_model: failed to initialize the context: failed to allocate buffer for kv cache',
      'starting',
    ],
    ['slot launch_slot_: id  0 | task 3 | processing task\nCUDA error: out of memory', 'serving'],
    ['slot   load_model: id  0 | task -1 | new slot, n_ctx = 4096\nCUDA error: out of memory', undefined],
    [`ERROR text_generation_launcher: Method Warmup encountered an error.\n${OOM}`, 'starting'],
    [`ERROR text_generation_launcher: Method Decode encountered an error.\n${OOM}`, 'serving'],
    // The words of a request that failed, inside the span of the warm-up.
    [
      `ERROR warmup{max_input_length=1024}:warmup: text_generation_client: router/client/src/lib.rs:33: Server error: ${ACCOUNT}`,
      'starting',
    ],
    [`${OOM}\nINFO:     10.0.0.7:328 - "GET /health HTTP/1.1" 503 Service Unavailable`, undefined],
    [`  File "/opt/engine/models/llama.py", line 12, in __init__\n${OOM}`, 'starting'],
    [`  File "/opt/engine/server.py", line 12, in __init__\n${OOM}`, undefined],
    [
      `INFO authentication_token_setup.py:50 -- Generated new authentication token and saved to /tmp/t\n${OOM}`,
      undefined,
    ],
  ])('%s -> %s', async (log, life) => {
    expect(await factOf('failure.life', log)).toBe(life);
  });

  it("PyTorch's own figures about graphs are no stage", async () => {
    const split = 'Of the allocated memory 20.00 GiB is allocated by PyTorch, with 8.00 MiB allocated in private pools';
    expect(
      await factOf('log.stage', `${ACCOUNT} ${split} (e.g., CUDA Graphs), and 1.00 GiB is reserved by PyTorch`),
    ).toBe('nothing');
  });
});

describe('whose memory it is', () => {
  const initial =
    'Memory profiling results: total_gpu_memory=23.58GiB initial_memory_usage=15.50GiB peak_torch_memory=17.00GiB';

  it('what vLLM V0 calls initial holds its own weights: they are no neighbour', async () => {
    const log = `INFO Loading model weights took 15.0 GB\nINFO ${initial}`;

    expect(await factOf('gpu.taken-before-start', log)).toBe(0.5 * 1024 ** 3);
  });

  const [L4, GB10] = ['L4', 'GB10'].map((name) => `library=cuda name="NVIDIA ${name}"`);

  it.each<[string, readonly string[], number | undefined]>([
    ['what Ollama found taken on the card', [`${L4} total="24.0 GiB" available="11.0 GiB"`], 13],
    [
      'of several cards that on the freest, which it fills first',
      [
        `${L4} total="24.0 GiB" available="4.0 GiB"`,
        'library=CUDA type=discrete total="24.0 GiB" available="22.0 GiB"',
      ],
      2,
    ],
    ['not what the system holds of one memory', [`${GB10} total="119.7 GiB" available="80.0 GiB"`], undefined],
    ['not of an integrated card', ['library=ROCm type=iGPU total="60.0 GiB" available="30.0 GiB"'], undefined],
    ['not of the CPU', ['library=cpu total="60.0 GiB" available="30.0 GiB"'], undefined],
  ])('%s', async (_, cards, gib) => {
    const listed = cards.map((card) => `level=INFO source=types.go:130 msg="inference compute" id=0 ${card}`);

    expect(await factOf('gpu.taken-before-start', listed.join('\n'))).toBe(
      gib === undefined ? undefined : gib * 1024 ** 3,
    );
  });

  it('without the size of the weights nobody is blamed', async () => {
    expect(await factOf('gpu.taken-before-start', `INFO ${initial}`)).toBeUndefined();
  });

  it('a process that holds less than its own tensors has not been seen by the driver', async () => {
    const own = 'Including non-PyTorch memory, this process has 0 bytes memory in use.';
    const split =
      'Of the allocated memory 19.00 GiB is allocated by PyTorch, and 1.30 GiB is reserved by PyTorch but unallocated.';
    const { facts } = await diagnosed(`${ACCOUNT} ${own} ${split}`);

    expect(facts.get('gpu.foreign')).toMatchObject({ kind: 'unknown' });
    expect(facts.get('gpu.unmanaged')).toMatchObject({ kind: 'known' });
  });

  it('a sentence without its head still has the size that was wanted', async () => {
    expect(await factOf('gpu.want', ACCOUNT.slice('CUDA out of memory. '.length))).toBe(2 * 1024 ** 3);
  });
});

describe('steps that are named in other ways', () => {
  it.each([
    ['Exception in worker W while processing method determine_num_available_blocks: CUDA out of memory.', 'profile'],
    [
      '  File "/opt/engine/llm_engine.py", line 3, in _init\n    self._run_workers("warm_up_model")\nCUDA out of memory.',
      'graph-capture',
    ],
    ['File /opt/engine/models/opt.py:248, in OPTDecoder.forward(self, ids)\nCUDA out of memory.', 'execute'],
    // Not the sampler: the loop over the steps of a generation.
    [
      '  File "/opt/transformers/generation/utils.py", line 1642, in generate\n    return self.sample(\nCUDA out of memory.',
      'execute',
    ],
  ])('%s -> %s', async (log, stage) => {
    expect(await factOf('log.stage', log)).toBe(stage);
  });

  it('a frame beside an error of another kind is no hint at memory', async () => {
    const capture = '  File "/opt/engine/runner.py", line 3, in capture_model';
    const { facts } = await diagnosed(
      `${capture}\nRuntimeError: CUDA error: operation not permitted when stream is capturing`,
    );

    expect(facts.get('log.hint-plane')).toMatchObject({ value: 'nothing' });
  });

  it('a start over again is no step of the one that failed', async () => {
    const loading = 'INFO 12-18 21:44:36 model_runner.py:94] Starting to load model some/model...';
    expect(await factOf('engine.last-milestone', `RuntimeError: CUDA error: out of memory\n${loading}`)).toBe('none');
  });
});

describe('weights against the card', () => {
  const card = JSON.stringify({ engine: 'vllm', gpu: { model: 'H100', count: 2, memory_gib: 80 } });

  it.each([
    ['vllm serve org/Some-72B-Instruct', 144],
    ['vllm serve org/Some-72B-Instruct --tensor-parallel-size 2', 72],
    ['vllm serve org/Some-72B-Instruct-AWQ', 40.32],
    ['vllm serve org/Some-72B-Instruct --quantization fp8', 73.44],
    ['vllm serve org/Some-30B-A3B', 60],
    ['vllm serve org/Some-8x7B', 89.6],
    ['vllm serve org/Some-72B-Instruct --cpu-offload-gb 40', undefined],
  ])('%s -> %s GB', async (args, gigabytes) => {
    const { facts } = await diagnosed(OOM, { 'args.txt': args, 'incident.json': card });
    const found = facts.get('gpu.weights-share');
    const value = found?.kind === 'known' ? Number(found.value) : undefined;

    if (gigabytes === undefined) expect(value).toBeUndefined();
    else expect(value).toBeCloseTo((gigabytes * 1e9) / (80 * 1024 ** 3), 6);
  });
});

const own = 'Including non-PyTorch memory, this process has 17.00 GiB memory in use.';
const split =
  'Of the allocated memory 16.00 GiB is allocated by PyTorch, and 0.50 GiB is reserved by PyTorch but unallocated.';
const inUse = (pid: number, size: string) => `Process ${pid} has ${size} memory in use.`;

describe('other processes of the account', () => {
  const listed = (sizes: readonly string[]) => sizes.map((size, i) => inUse(900 + 50 * i, size)).join(' ');

  it.each([
    [['1.62 GiB', '1.62 GiB', '1.62 GiB'], 0],
    [['1.62 GiB'], 1.62],
    [['1.62 GiB', '1.20 GiB'], 2.82],
    [['5.00 GiB', '5.00 GiB'], 10],
  ])('%j are %s GiB of somebody else', async (sizes, foreign) => {
    const { facts } = await diagnosed(`${ACCOUNT} ${listed(sizes)} ${own} ${split}`);
    const found = facts.get('gpu.foreign');

    expect(found?.kind === 'known' ? Number(found.value) / 1024 ** 3 : undefined).toBeCloseTo(foreign, 2);
  });
});

describe('ranks of one launch on one card', () => {
  const listed = (...entries: readonly (readonly [number, string])[]) =>
    entries.map((entry) => inUse(...entry)).join(' ');

  it.each([
    ['neighbouring numbers beside it', `${listed([4001, '3.00 GiB'], [4002, '2.00 GiB'])} ${own} ${split}`, 5, 0],
    ['this process among them', `${listed([4001, '17.00 GiB'], [4002, '4.00 GiB'])} ${split}`, 4, 0],
    ['nothing tells which failed', listed([120, '0.25 GiB'], [4001, '17.00 GiB'], [4002, '4.00 GiB']), 4, 0.25],
    ['numbers far apart', `${listed([400, '3.00 GiB'], [4002, '2.00 GiB'])} ${own} ${split}`, 0, 5],
    ['contexts of one size', `${listed([400, '1.50 GiB'], [4002, '1.50 GiB'])} ${own} ${split}`, 3, 0],
    ['no other process', `${own} ${split}`, 0, 5.4],
    ['no process at all', split, undefined, undefined],
  ])('%s', async (_name, processes, ranks, foreign) => {
    const { facts } = await diagnosed(`${ACCOUNT} ${processes}`);
    const gib = (id: string) => {
      const found = facts.get(id);
      return found?.kind === 'known' ? Math.round((Number(found.value) / 1024 ** 3) * 100) / 100 : undefined;
    };

    expect([gib('gpu.taken-by-ranks'), gib('gpu.foreign')]).toEqual([ranks, foreign]);
  });
});

it('an engine of one rank has no other ranks: what was started beside it is another engine', async () => {
  const beside = 'Process 4001 has 17.00 GiB memory in use. Process 4002 has 4.00 GiB memory in use.';
  const split = 'Of the allocated memory 16.00 GiB is allocated by PyTorch, and 0.50 GiB is reserved by PyTorch.';
  const files = { 'args.txt': 'vllm serve org/Some-7B', ...known({ engine: 'vllm' }) };
  const { facts } = await diagnosed(`${ACCOUNT} ${beside} ${split}`, files);

  expect(facts.get('gpu.taken-by-ranks')).toMatchObject({ value: 0 });
  expect(facts.get('gpu.foreign')).toMatchObject({ value: 4 * 1024 ** 3 });
});

const refused =
  'ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.';

it.each([
  ['one rank by default', 'vllm', 'vllm serve org/Some-7B', false],
  ['one rank of a model that a variable names', 'vllm', 'vllm serve $MODEL', false],
  ['one rank', 'sglang', 'python -m sglang.launch_server --model-path org/m --tp-size 1', false],
  ['an engine without ranks', 'ollama', 'ollama serve', false],
  ['two ranks', 'vllm', 'vllm serve org/Some-7B -tp 2', true],
  ['arguments that nobody sees', 'vllm', '', true],
])('several ranks on one card are left open with %s: %s', async (_what, engine, args, isOpen) => {
  const { diagnosis } = await diagnosed(refused, { 'args.txt': `${args}\n`, ...known({ engine }) });

  expect(diagnosis.verdict.notRuledOut.map(({ branch }) => branch).includes('gpu-startup/ranks')).toBe(isOpen);
});

it('a traceback or a line that a report cuts what is allocated is known where the line ends behind it, and what is besides is not', async () => {
  const cut = 'Of the allocated memory 3.00 GiB is allocated by PyTorch, and 2.5';
  const { facts } = await diagnosed(`${ACCOUNT} Process 4001 has 15.00 GiB memory in use. ${cut}`);

  expect(facts.get('gpu.allocated')).toMatchObject({ value: 3 * 1024 ** 3 });
  expect(facts.get('gpu.unmanaged')).toMatchObject({ kind: 'unknown' });
});

describe('GPUs that no rank uses', () => {
  const model = 'vllm serve org/Some-70B';

  it.each([
    [`CUDA_VISIBLE_DEVICES=0,1,2,3 ${model}`, 3],
    [`CUDA_VISIBLE_DEVICES=0,1,2,3 ${model} --tensor-parallel-size 4`, 0],
    [`${model}\nlimits:\n  nvidia.com/mig-1g.10gb: 4`, undefined],
    // Another deployment, another container, a share of a card, a quota.
    [`image: some/vllm\n${model}\n---\nname: other\nlimits:\n  nvidia.com/gpu: 4`, undefined],
  ])('%s -> %s', async (args, idle) => {
    expect(await factOf('gpu.idle', OOM, { 'args.txt': args, ...known({ engine: 'vllm' }) })).toBe(idle);
  });

  it.each([
    ['(Worker_TP1 pid=91) ERROR 06-01 10:00:00 [core.py:708] EngineCore failed to start.', undefined],
    ['(VllmWorker rank=1 pid=91) ERROR 06-01 10:00:00 [core.py:708] EngineCore failed to start.', undefined],
    ['(EngineCore_DP0 pid=91) ERROR 06-01 10:00:00 [core.py:708] EngineCore failed to start.', 3],
  ])('the log names its ranks: %s', async (line, idle) => {
    const files = { 'args.txt': `CUDA_VISIBLE_DEVICES=0,1,2,3 ${model}`, ...known({ engine: 'vllm' }) };

    expect(await factOf('gpu.idle', `${line}\n${OOM}`, files)).toBe(idle);
  });
});

const frame = (file: string, name: string) => `  File "/opt/py/${file}", line 12, in ${name}\n    x = y`;
const stack = (...frames: readonly (readonly [string, string])[]) =>
  [...frames.map(([file, name]) => frame(file, name)), OOM].join('\n');

it.each([
  [
    'the innermost step of the start, be it known by a signature or by its name',
    stack(['vllm/worker/worker.py', 'initialize_cache'], ['vllm/worker/worker.py', '_warm_up_model']),
    'graph-capture',
  ],
  [
    'what repacks weights inside a profile run is the profile run',
    stack(['vllm/worker/model_runner.py', 'profile_run'], ['vllm/layers/quantization/gguf.py', 'dequantize_rows']),
    'profile',
  ],
  ['a layer of the vision tower', stack(['app.py', 'generate'], ['models/siglip_vit.py', 'forward']), 'encoder'],
  ['the layer behind the last', stack(['app.py', 'step'], ['layers/logits_processor.py', 'forward']), 'sampler'],
  ['a layer', stack(['app/run.py', 'step'], ['layers/linear.py', 'forward']), 'execute'],
  [
    'a load that sets up its device first',
    stack(['server/utils/weights.py', 'get_sharded'], ['torch/cuda/__init__.py', '_lazy_init']),
    'load',
  ],
  [
    'weights that are exchanged while serving',
    stack(['vllm/v1/worker/gpu_worker.py', 'update_weights_from_tensor'], ['vllm/models/qwen2.py', 'load_weights']),
    'execute',
  ],
])('the stage by the frames: %s', async (_name, log, stage) => {
  expect(await factOf('log.stage', log)).toBe(stage);
});

describe('a prefix cache that does not give back', () => {
  const refusal = 'RuntimeError: Prefill out of memory. Try to lower your batch size. Try to allocate 4096 tokens.';

  it.each([
    ['(full_available_size=256 + full_evictable_size_=90000)', true],
    ['(full_available_size=80000 + full_evictable_size_=90000)', false],
    ['(full_available_size=256 + full_evictable_size_=512)', false],
  ])('%s -> %s', async (sizes, held) => {
    expect(await factOf('prefix-cache.blocks-held', `${refusal}\nAvailable full tokens: 90256 ${sizes}`)).toBe(held);
  });
});

describe('a pool of pages that refuses the next token of the running requests', () => {
  const refusal = (stage: string) =>
    `RuntimeError: ${stage} out of memory. Try to lower your batch size.\nTry to allocate 131 tokens.\nAvaliable tokens: 1024\n`;

  it.each([
    ['each may need a page of its own', 'Decode', '--page-size 64', 1024 / (131 * 64), 'gpu.burst.concurrency'],
    ['near miss: all of them could have had one', 'Decode', '--page-size 4', 1024 / 131, 'none.other'],
    ['near miss: a page is a token', 'Decode', '', 1024 / 131, 'none.other'],
    ['near miss: a prompt takes what it says', 'Prefill', '--page-size 64', 1024 / 131, 'none.other'],
  ])('%s', async (_name, stage, args, slots, cause) => {
    const { facts, diagnosis } = await diagnosed(refusal(stage), { 'args.txt': `sglang serve m ${args}\n` });

    expect(facts.get('kv-cache.slots-per-want')).toMatchObject({ value: slots });
    expect(diagnosis.verdict.cause).toBe(cause);
  });
});

it.each([
  [{ 'args.txt': 'vllm serve BAAI/bge-m3 --port 8000' }, true],
  [{ 'args.txt': 'vllm serve some/model --task embed' }, true],
  [{ 'args.txt': 'vllm serve Qwen/Qwen3-8B --max-model-len 4096' }, false],
  [known({ engine: 'text-embeddings-inference' }), true],
])('engines that embed: %j -> %s', async (files, embeds) => {
  expect(await factOf('engine.embeds', OOM, files)).toBe(embeds);
});

const START = 'INFO 12-30 23:00:00 [api_server.py:1896] vLLM API server version 0.11.0';
const READY = 'INFO:     Application startup complete.';
const FAILED = (at: string) =>
  `ERROR ${at} [core.py:710] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB.`;

it.each([
  ['12-30 23:20:00', 'minutes'],
  ['12-31 03:00:00', 'hours'],
  ['01-02 23:00:00', 'days'],
])('the age of a process whose log bears days and no year is known at %s', async (at, age) => {
  expect(await factOf('failure.age', [START, READY, FAILED(at)].join('\n'))).toBe(age);
});

describe('the step of SGLang that failed', () => {
  const PREFILL = (tokens: number) =>
    `[2026-07-10 10:00:00 TP0] Prefill batch. #new-seq: 1, #new-token: ${tokens}, #cached-token: 0, token usage: 0.00, #running-req: 0, #queue-req: 0`;
  const DECODE =
    '[2026-07-10 10:00:01 TP0] Decode batch. #running-req: 4, #token: 900, token usage: 0.10, gen throughput (token/s): 90';

  it('is the prefill that it printed last above the failure', async () => {
    expect(
      (await diagnosed([PREFILL(6), PREFILL(8192), OOM, PREFILL(7)].join('\n'))).facts.get('step.scheduled-tokens'),
    ).toMatchObject({ value: 8192, from: [{ line: 2 }] });
  });

  it('is not known where it decoded since', async () => {
    expect(await factOf('step.scheduled-tokens', [PREFILL(8192), DECODE, OOM].join('\n'))).toBeUndefined();
  });
});
