import { describe, expect, it } from 'vitest';
import { reckonBudget } from '../../../src/app/budget/budget.ts';
import { readEngineEvidence, readFacts } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, BOOK, COMPILED_SIGNATURES, judge } from '../../playbooks/shipped.ts';

async function factValue(id: string, files: Readonly<Record<string, string>>): Promise<unknown> {
  const fact = (await readFacts(aSnapshot(files), COMPILED_SIGNATURES, BOOK)).get(id);
  return fact?.kind === 'known' ? fact.value : undefined;
}

async function firstEdits(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { remedies } = judge(await readFacts(aSnapshot(files), COMPILED_SIGNATURES, BOOK), 'x').verdict;
  return remedies.find(({ edits }) => edits.length > 0)?.edits.map(({ flag }) => flag) ?? [];
}

const REFUSED = (length: number) =>
  `ValueError: To serve at least one request with the models's max seq len (${length}), (24.00 GiB KV cache is needed, which is larger than the available KV cache memory (3.18 GiB). Based on the available memory, the estimated maximum model length is 34736.`;
const NOT_FREE = (fraction: number) =>
  `ValueError: Free memory on device (21.00/24.00 GiB) on startup is less than desired GPU memory utilization (${fraction}, 21.60 GiB).`;

it.each([
  ['a length above it', 'advice.max-model-len', REFUSED(262_144), '--max-model-len 262144', 32_992],
  ['no length known', 'advice.max-model-len', REFUSED(262_144), '', 32_992],
  ['a length that is as low already', 'advice.max-model-len', REFUSED(32_992), '--max-model-len 32992', undefined],
  ['a length below it', 'advice.max-model-len', REFUSED(16_384), '--max-model-len 16384', undefined],
  ['a fraction above it', 'advice.utilization-fit', NOT_FREE(0.9), '--gpu-memory-utilization 0.9', 0.86],
  ['a fraction as low already', 'advice.utilization-fit', NOT_FREE(0.86), '--gpu-memory-utilization 0.86', undefined],
])('what is meant to lower a value with %s in force', async (_what, id, line, args, expected) => {
  expect(await factValue(id, { 'previous.log': `${line}\n`, 'args.txt': `${args}\n` })).toBe(expected);
});

// vLLM 0.11 that holds one sequence of 65,536 tokens and little more.
const OOM = (total: number, want: string) =>
  `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate ${want}. GPU 0 has a total capacity of ${total} GiB of which 58.31 MiB is free. Including non-PyTorch memory, this process has ${total - 0.06} GiB memory in use. Of the allocated memory ${total - 1.4} GiB is allocated by PyTorch, and 12.00 MiB is reserved by PyTorch but unallocated.`;
const SERVED = [
  'INFO 09-14 10:00:02 [api_server.py:1896] vLLM API server version 0.11.0',
  'INFO 09-14 10:01:13 [gpu_model_runner.py:2653] Model loading took 17.2031 GiB and 40.120 seconds',
  'INFO 09-14 10:01:41 [kv_cache_utils.py:1087] GPU KV cache size: 65,600 tokens',
  'INFO:     Application startup complete.',
];
const POOL = (size: string) => `INFO 09-14 10:01:40 [gpu_worker.py:298] Available KV cache memory: ${size} GiB`;
const PEAK =
  'INFO 09-14 10:01:39 [gpu_worker.py:297] Free memory on device (31.02/31.36 GiB) on startup. Desired GPU memory utilization is (0.9, 28.22 GiB). Actual usage is 17.20 GiB for weight, 3.00 GiB for peak activation, 0.12 GiB for non-torch memory, and 0.55 GiB for CUDAGraph memory. Replace gpu_memory_utilization config with `--kv-cache-memory=8000000000` (7.5 GiB) to fit into requested memory';

describe('a fraction that is to be lowered', () => {
  const tight = (args: string, ...lines: string[]) => ({
    'args.txt': `vllm serve m --gpu-memory-utilization 0.9 --max-num-seqs 256 ${args}\n`,
    'previous.log': `${[...SERVED, ...lines].join('\n')}\n`,
  });
  const edge = tight('--max-model-len 65536', POOL('8.02'), OOM(31.36, '114.00 MiB'));
  const roomy = tight('--max-model-len 16384', POOL('8.02'), OOM(31.36, '114.00 MiB'));
  const unprinted = {
    'args.txt': 'vllm serve m --gpu-memory-utilization 0.9 --max-model-len 65536\n',
    'previous.log': `${[...SERVED.filter((line) => !line.includes('KV cache')), OOM(31.36, '114.00 MiB')].join('\n')}\n`,
  };
  const long = tight(
    '--max-model-len 65536 --max-num-batched-tokens 8192',
    POOL('8.02'),
    PEAK,
    OOM(31.36, '114.00 MiB'),
  );

  it.each([
    ['is where the pool then holds a sequence', roomy, 0.87, 0.87, true, undefined],
    ['is not where it does not; the length that it would hold is', edge, 0.87, undefined, false, 55_008],
    ['is as far as can be told where the pool was not printed', unprinted, 0.87, 0.87, undefined, undefined],
  ])('%s', async (_what, files, wanted, lower, fits, length) => {
    expect(await factValue('advice.utilization-wanted', files)).toBe(wanted);
    expect(await factValue('advice.utilization-lower', files)).toBe(lower);
    expect(await factValue('advice.lowering-fits', files)).toBe(fits);
    expect(await factValue('advice.max-model-len-lowered', files)).toBe(length);
  });

  it('is where a shorter pass gives back what it takes', async () => {
    // Half of 3 GiB of activations against 0.03 of 31.36 GiB.
    expect(await factValue('advice.utilization-lower', long)).toBeUndefined();
    expect(await factValue('advice.max-batched-tokens', long)).toBe(4096);
  });

  it('goes by the step of the engine', async () => {
    const sglang = (fraction: number) => ({
      'args.txt': `python3 -m sglang.launch_server --model-path m --mem-fraction-static ${fraction}\n`,
      'previous.log': `${OOM(79.1, '20.00 MiB')}\n`,
    });

    expect(await factValue('advice.utilization-lower', sglang(0.88))).toBe(0.83);
    expect(await factValue('advice.utilization-lower', sglang(0.9))).toBe(0.85);
  });
});

const refused = (of: { total: number; available: string; version: string; args?: string }) => ({
  'args.txt': `vllm serve m --max-model-len 16384 --gpu-memory-utilization 0.9 ${of.args ?? ''}\n`,
  'nvidia-smi.txt': `index, name, memory.used [MiB], memory.total [MiB], utilization.gpu [%]\n0, NVIDIA X, 400 MiB, ${of.total} MiB, 5 %\n`,
  'previous.log': [
    `INFO 09-14 10:00:02 [api_server.py:1896] vLLM API server version ${of.version}`,
    `ValueError: To serve at least one request with the models's max seq len (16384), (2.0 GiB KV cache is needed, which is larger than the available KV cache memory (${of.available} GiB). Based on the available memory, the estimated maximum model length is 7360.\n`,
  ].join('\n'),
});
const CARD = { total: 24_564, available: '0.9', version: '0.9.2' };

it.each([
  ['no higher than the card allows', CARD, undefined, false],
  ['up to what the card allows', { ...CARD, available: '1.4' }, 0.93, true],
  ['higher on a large card', { ...CARD, total: 81_559 }, 0.92, true],
  [
    'not where graphs are to come without room for them',
    { ...CARD, total: 15_360, available: '1.9' },
    undefined,
    false,
  ],
  ['but where there will be none', { ...CARD, available: '1.4', args: '--enforce-eager' }, 0.93, true],
])('a fraction that is to be raised goes %s', async (_what, card, expected, fits) => {
  expect(await factValue('advice.utilization-raise', refused(card))).toBe(expected);
  expect(await factValue('advice.raising-fits', refused(card))).toBe(fits);
});

const incident = (engine: string) => ({ 'incident.json': JSON.stringify({ engine }) });

it.each([
  ['TGI’s --max-total-tokens', 'tgi', '--max-total-tokens 8192', 8192],
  ['not SGLang’s flag of that name, which is its pool', 'sglang', '--max-total-tokens 8192', undefined],
  ['SGLang’s own', 'sglang', '--max-total-tokens 8192 --context-length 4096', 4096],
])('the length in force is %s', async (_what, engine, args, expected) => {
  expect(await factValue('engine.max-model-len', { ...incident(engine), 'args.txt': `${args}\n` })).toBe(expected);
});

it.each([
  ['vllm via KAITO', 'vllm'],
  ['text-generation-inference', 'tgi'],
  ['lmdeploy (turbomind)', 'lmdeploy'],
  ['llama.cpp server', 'llama.cpp'],
  ['tensorrt-llm (triton)', 'tensorrt-llm'],
  ['vllm+ray', 'vllm'],
  ['vllm.rs', 'vllm.rs'],
  ['vllm-ascend', 'vllm'],
  ['torchserve', 'torchserve'],
])('the engine that a note names: %s is %s to those who look flags up', async (engine, expected) => {
  expect(await factValue('engine.name', { 'incident.json': JSON.stringify({ engine }) })).toBe(expected);
});

describe('the layers of llama.cpp', () => {
  const LOAD = [
    'llama_model_load_from_file_impl: using device CUDA0 (NVIDIA RTX A5000) - 24120 MiB free',
    'print_info: n_layer          = 64',
    'print_info: n_embd_k_gqa     = 1024',
    'print_info: n_embd_v_gqa     = 1024',
  ];
  const REFUSED_WEIGHTS = [
    'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 32342.17 MiB on device 0: cudaMalloc failed: out of memory',
    'llama_model_load: error loading model: unable to allocate CUDA0 buffer',
  ];
  const ARGS = 'llama-server -m /models/heron.gguf -ngl 99 -c 16384';

  it.each([
    ['as a value of its flag', ARGS, LOAD, ['--n-gpu-layers 41']],
    ['not where nobody says how many there were', 'llama-server -m /models/heron.gguf', LOAD, []],
  ])('that fit are told %s', async (_what, args, lines, edits) => {
    const files = { 'args.txt': `${args}\n`, 'previous.log': `${[...lines, ...REFUSED_WEIGHTS].join('\n')}\n` };

    const { remedies, cause } = judge(await readFacts(aSnapshot(files), COMPILED_SIGNATURES, BOOK), 'x').verdict;

    expect(cause).toBe('gpu.startup.weights');
    expect(remedies.flatMap((one) => one.edits.map(({ flag, to }) => `${flag} ${to}`))).toEqual(edits);
  });

  it('has a compute buffer of its own in the sums, refused or not', async () => {
    const files = {
      'args.txt': `${ARGS}\n`,
      'previous.log': [
        'load_tensors: offloaded 65/65 layers to GPU',
        'load_tensors:        CUDA0 model buffer size = 18148.38 MiB',
        'llama_kv_cache:      CUDA0 KV buffer size =  5120.00 MiB',
        'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 1822.00 MiB on device 0: cudaMalloc failed: out of memory',
        'graph_reserve: failed to allocate compute buffers',
        '',
      ].join('\n'),
    };
    const evidence = (source: ReturnType<typeof aSnapshot>) => readEngineEvidence(source, COMPILED_SIGNATURES, BOOK);

    const outcome = await reckonBudget(aSnapshot(files), { book: BOOK, evidence });

    const rows = outcome.kind === 'budget' ? outcome.budget.rows : [];
    expect(rows.find(({ name }) => name === 'weights')).toMatchObject({ note: '65 of 65 layers' });
    const buffer = { bytes: { kind: 'known', value: 1822 * 2 ** 20 } };
    expect(rows.find(({ name }) => name === 'compute buffer')).toMatchObject(buffer);
  });
});

it.each([
  ['of llama-server', 'llama-server -c 8192 -np 2', 8192, 2],
  ['of a shell is another', 'sh -c 8192', undefined, undefined],
  ['of another program is another', 'llama-server --version; mpirun -np 2 server', undefined, undefined],
])('a short form: %s', async (_what, args, length, sequences) => {
  const files = { 'args.txt': `${args}\n`, 'incident.json': JSON.stringify({ engine: 'llama.cpp' }) };

  expect(await factValue('engine.max-model-len', files)).toBe(length);
  expect(await factValue('engine.max-num-seqs', files)).toBe(sequences);
});

const failed = (told: string, version?: string) => ({
  'args.txt': `text-generation-launcher --model-id acme/m --max-batch-prefill-tokens 16384 ${told}\n`,
  'previous.log':
    'text_generation_launcher: Error when initializing model\nRuntimeError: Not enough memory to handle 16384 prefill tokens. You need to decrease `--max-batch-prefill-tokens`\n',
  'incident.json': JSON.stringify({ engine: 'tgi', engine_version: version }),
});

const LONGER = '--max-input-tokens 12000 --max-total-tokens 16384';
const BELOW = '--max-input-tokens 4000 --max-total-tokens 4096';
it.each([
  ['with an input that is longer', LONGER, '3.3.4', 8192, 8192],
  ['with one that it holds', '--max-input-tokens 8192 --max-total-tokens 16384', '3.3.4', 8192, undefined],
  ['with one that it would pass the length of', BELOW, '3.3.4', 8192, undefined],
  ['with a length that it holds', '--max-total-tokens 4096', '3.3.4', 8192, undefined],
  ['with an input that is not known', '', '3.3.4', 8192, 8192],
  ['with an input that cannot be set', LONGER, undefined, 12_000, undefined],
])('a trial run of TGI that did not fit has its pass halved %s', async (_what, told, version, pass, input) => {
  expect(await factValue('advice.max-batched-tokens', failed(told, version))).toBe(pass);
  expect(await factValue('advice.max-input-tokens', failed(told, version))).toBe(input);
  expect(await firstEdits(failed(told, version))).toEqual(
    ['--max-batch-prefill-tokens', '--max-input-tokens'].slice(0, input === undefined ? 1 : 2),
  );
});
