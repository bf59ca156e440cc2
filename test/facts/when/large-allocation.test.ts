import { describe, expect, it } from 'vitest';
import { diagnoseFiles, type Files, known, logged, valueOfFact } from '../incident.ts';

const MIB = 1024 ** 2;

const diagnosed = (lines: readonly string[], more: Files = {}) => diagnoseFiles({ ...logged(...lines), ...more });

const noted = (engine: string, uptime?: string) => known({ engine, uptime });

const account = (want: string, allocated: string) =>
  `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate ${want}. GPU 0 has a total capacity of 79.33 GiB of which 19.10 GiB is free. Including non-PyTorch memory, this process has 60.22 GiB memory in use. Of the allocated memory ${allocated} is allocated by PyTorch, and 900.00 MiB is reserved by PyTorch but unallocated.`;

it.each([
  ['on an empty card it may be the whole model', 'transformers', '32.00 GiB', '0.02 GiB'],
  ['of an engine with a trial run a smaller one tells no time', 'vllm', '19.50 GiB', '51.91 GiB'],
  ['a smaller one may be a weight', 'transformers', '19.50 GiB', '51.91 GiB'],
])('one large piece of a program that hands each request to the model: %s', async (_, engine, want, allocated) => {
  expect((await diagnosed([account(want, allocated)], noted(engine))).diagnosis.verdict).toMatchObject({
    plane: 'gpu',
    phase: 'n/a',
    certain: true,
  });
});

describe('what an allocator other than PyTorch’s was asked for', () => {
  const REFUSED = 'allocating 114296.55 MiB on device 0: cudaMalloc failed: out of memory';

  it('is what its own line tells', async () => {
    const line = `ggml_backend_cuda_buffer_type_alloc_buffer: ${REFUSED}`;

    expect(valueOfFact((await diagnosed([line])).facts, 'gpu.want')).toBe(114296.55 * MIB);
  });

  it('is none where the line is about RAM', async () => {
    const { facts } = await diagnosed([
      'Traceback (most recent call last):',
      'MemoryError: Unable to allocate 12.0 GiB',
    ]);

    expect(valueOfFact(facts, 'gpu.want')).toBeUndefined();
  });

  it('is an image’s where the program was given one', async () => {
    const args = './llama-cli -m some.gguf --mmproj vision.gguf --image page.jpg';
    const { diagnosis } = await diagnosed([REFUSED], { 'args.txt': args, ...noted('llama.cpp', '1 minute') });

    expect(diagnosis.verdict).toMatchObject({ phase: 'burst', cause: 'gpu.burst.multimodal' });
  });
});

describe('a server that starts a runner for each model that is asked for', () => {
  it.each([
    ['ollama', 'startup'],
    ['vllm', 'burst'],
  ])('%s: the age of the server is that of the runner or is not: %s', async (engine, phase) => {
    const { diagnosis } = await diagnosed(
      [
        'llama_kv_cache_init:      CUDA0 KV buffer size =  2048.00 MiB',
        'llama_new_context_with_model:      CUDA0 compute buffer size =   296.02 MiB',
        'CUDA error: out of memory',
      ],
      noted(engine, 'hours'),
    );

    expect(diagnosis.verdict).toMatchObject({ plane: 'gpu', phase });
  });
});
