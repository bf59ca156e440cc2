import { describe, expect, it } from 'vitest';
import { logged, verdictOfFiles } from '../incident.ts';

const verdictOf = (...lines: readonly string[]) => verdictOfFiles(logged(...lines));

const ON_THE_CARD = 'ggml_gallocr_reserve_n_impl: failed to allocate Vulkan0 buffer of size 4294967296';
const IN_RAM = 'ggml_gallocr_reserve_n_impl: failed to allocate CUDA_Host buffer of size 4294967296';
const NO_GRAPH = 'process_ubatch: failed to allocate graph';
const REFUSED = 'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 4096.00 MiB on device 0:';

describe('what servers written in C++, Go and Rust print where memory was short', () => {
  it.each([
    ['gpu', false, '/app/ggml-vulkan.cpp:6401: Requested preallocation size is too large'],
    ['gpu', false, 'WARN Not enough VRAM to run the model: Available: 22.49GB - Model 29.54GB.'],
    ['gpu', true, `${REFUSED} cudaMalloc failed: out of memory`],
  ])('%s, certain %s: %s', async (plane, certain, line) => {
    expect(await verdictOf(line)).toMatchObject({ plane, certain });
  });

  it('a prompt that could not be kept in RAM is told as the cache that it belongs to', async () => {
    const refused = 'srv         alloc: failed to allocate memory for prompt cache state: std::bad_alloc';

    expect(await verdictOf(refused)).toMatchObject({ plane: 'host', cause: 'host.offload', certain: false });
  });

  it.each([
    ['gpu', [ON_THE_CARD, NO_GRAPH]],
    ['host', [IN_RAM, NO_GRAPH]],
    ['gpu', [NO_GRAPH]],
    ['gpu', ['srv  update_slots: Compute error. off = 0, n_batch = 512, ret = -2']],
    ['host', [IN_RAM, 'llama_init_from_model: failed to allocate buffer for DSV4 compressor state']],
    ['gpu', ['init: failed to allocate buffer for control vector']],
  ])('%s by the device that is named, and a guess without one', async (plane, lines) => {
    const verdict = await verdictOf(...lines);

    expect(verdict.plane).toBe(plane);
    if (lines.length === 1) expect(verdict.certain).toBe(false);
  });
});

describe('what they print where none was', () => {
  it.each([
    ['none.config', 'Error: 500 Internal Server Error: GGUF value length 9999999999 exceeds maximum 1048576'],
    ['none.gpu-fault', `${REFUSED} cudaMalloc failed: unspecified launch failure`],
    ['none.driver', `${REFUSED} cudaMalloc failed: no CUDA-capable device is detected`],
  ])('%s: %s', async (cause, line) => {
    expect(await verdictOf(line)).toMatchObject({ plane: 'none', cause });
  });

  it('a key of a file that no memory would hold is most likely a broken file, and might be RAM', async () => {
    const line = "gguf_init_from_reader: encountered bad_alloc error while reading value for key 'a'";

    expect(await verdictOf(line)).toMatchObject({ plane: 'none', cause: 'none.config', certain: false });
  });

  it.each([
    ['counts', 'mtmd_input_chunk_load: tokens_text length exceeds buffer size'],
    ['pages of a book', 'level=ERROR msg="search" error="no pages to search in"'],
    ['too few cards', 'launcher: insufficient free GPUs, 1 of 2'],
    ['a step that frees', 'WARNING: failed to free pinned memory: memory not in map'],
    ['the name of a source file', 'E0513 09:00:00.000000 1 pinned_memory_manager.cc:58] "a: no integer"'],
    [
      'a fit that does not know the mode',
      'common_fit_params: failed to fit params to free device memory: llama_params_fit is not implemented for SPLIT_MODE_TENSOR, abort',
    ],
    ['a buffer in RAM instead', 'x: device alloc of 4294967296 bytes failed, using host memory fallback'],
    [
      'a shorter batch instead',
      'WARN Reducing the max batch prefill from 16384 to 4096 because there is not enough VRAM to support it.',
    ],
    ['a file of Ollama', 'level=ERROR msg="error loading llama server" error="header too large: 7"'],
  ])('%s: nothing is guessed', async (_, line) => {
    expect((await verdictOf(line)).plane).toBe('unknown');
  });

  it.each([
    ['gpu', 'level=WARN msg="runtime OOM detected; expiring loaded models" error="CUDA error: out of memory"'],
    ['host', 'level=WARN msg="runtime OOM detected; expiring loaded models" error="failed to allocate CPU buffer"'],
  ])('what Ollama calls OOM is of the memory that the error names: %s', async (plane, line) => {
    expect((await verdictOf(line)).plane).toBe(plane);
  });

  it.each([
    ['gpu', 'Error: Backend(Warmup(Generation("Allocation on device 0 would exceed allowed memory")))'],
    ['none', "ERROR Unable to warmup the Python model shards: name 'x' is not defined"],
  ])('a warm-up of TGI that failed: %s', async (plane, line) => {
    expect((await verdictOf(line)).plane).toBe(plane);
  });
});
