import { describe, expect, it } from 'vitest';
import { logged, verdictOfFiles } from '../incident.ts';

// llama.cpp's own lines (tools/server/server.cpp, tools/mtmd/mtmd-helper.cpp, ggml/src/ggml-cuda/ggml-cuda.cu).
const BEGINS = 'srv  process_chun: processing image...';
const DONE = 'srv  process_chun: image processed in 812 ms';
const REFUSED =
  'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 4514.05 MiB on device 0: cudaMalloc failed: out of memory';

const verdictOf = (...lines: readonly string[]) => verdictOfFiles(logged(...lines));

describe('an image that llama.cpp encodes', () => {
  it('is what memory ran out for', async () => {
    expect(await verdictOf(BEGINS, REFUSED)).toMatchObject({
      plane: 'gpu',
      phase: 'burst',
      cause: 'gpu.burst.multimodal',
    });
    expect(await verdictOf(BEGINS, DONE, BEGINS, REFUSED)).toMatchObject({ cause: 'gpu.burst.multimodal' });
  });

  it('is not, once it is done', async () => {
    expect(await verdictOf(BEGINS, DONE, REFUSED)).toMatchObject({ plane: 'gpu', cause: 'gpu.burst.headroom' });
  });
});

describe('a slot that Ollama loads', () => {
  const slot =
    'level=DEBUG source=cache.go:136 msg="loading cache slot" id=0 cache=57 prompt=1227 used=20 remaining=1207';

  it('dates what runs out behind it', async () => {
    expect(await verdictOf(slot, REFUSED)).toMatchObject({ plane: 'gpu', phase: 'burst' });
  });
});

describe('what llama.cpp prints of a model', () => {
  it('dates what runs out behind it', async () => {
    expect(await verdictOf('print_info: max token length = 256', REFUSED)).toMatchObject({
      plane: 'gpu',
      phase: 'startup',
    });
    expect(
      await verdictOf(REFUSED, '2026/01/05 10:38:07 llama.go:463: error starting llama runner: gone'),
    ).toMatchObject({
      plane: 'gpu',
      phase: 'startup',
    });
  });
});
