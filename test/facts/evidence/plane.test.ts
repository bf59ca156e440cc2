import { describe, expect, it } from 'vitest';
import { logged, verdictOfFiles } from '../incident.ts';

const verdictOf = (...lines: string[]) => verdictOfFiles(logged(...lines));

const KV_FAILED = 'llama_init_from_model: failed to initialize the context: failed to allocate buffer for kv cache';
const RAM_REFUSED = 'ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 68719476768';
const CARD_REFUSED =
  'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 5000.00 MiB on device 0: cudaMalloc failed: out of memory';

describe('an engine whose buffers may lie on the card or in RAM', () => {
  it.each([
    ['host', 'host.startup.limit', [RAM_REFUSED, KV_FAILED]],
    [
      'host',
      'host.startup.weight-staging',
      [RAM_REFUSED, 'llama_model_load: error loading model: unable to allocate CPU buffer'],
    ],
    ['gpu', 'gpu.startup.kv-room', [CARD_REFUSED, KV_FAILED]],
    ['gpu', 'gpu.startup.weights', [CARD_REFUSED, 'error loading model: unable to allocate CUDA0 buffer']],
  ])('%s %s by the line of the backend', async (plane, cause, lines) => {
    expect(await verdictOf(...lines)).toMatchObject({ plane, phase: 'startup', cause, certain: true });
  });

  it('is not certain of either without it', async () => {
    expect((await verdictOf(KV_FAILED)).certain).toBe(false);
  });
});

describe('out of memory in the words of one that means another memory', () => {
  it('is of the device where the language has its own word for it', async () => {
    const line = 'MemoryError: std::bad_alloc: out_of_memory: CUDA error at: /rmm/cuda_memory_resource.hpp:69: x';

    expect(await verdictOf(line)).toMatchObject({ plane: 'gpu' });
  });

  it.each([
    'Bus error (core dumped)',
    '    except torch.cuda.OutOfMemoryError:',
    'Caught torch.OutOfMemoryError, reducing batch size to 8 and retrying',
  ])('is not certain: %s', async (line) => {
    expect((await verdictOf(line)).certain).toBe(false);
  });
});

describe('a device that is missing', () => {
  const MISSING = 'ggml_cuda_init: failed to initialize CUDA: no CUDA-capable device is detected';

  it('is what failed where nothing else did', async () => {
    expect(await verdictOf(MISSING, 'main: server is listening on http://0.0.0.0:8080')).toMatchObject({
      plane: 'none',
      cause: 'none.driver',
      certain: true,
    });
  });

  it('is not what failed where the engine went on without', async () => {
    const loads = 'llama_model_loader: loaded meta data with 25 key-value pairs';
    const end = '/app/run.sh: line 3:    12 Killed                  llama-server -m model.gguf';

    expect(await verdictOf(MISSING, loads, end)).toMatchObject({ plane: 'host' });
  });
});

const WORD = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.';

it.each([
  ['gpu.startup.weights', '  File "/x/torch/nn/modules/module.py", line 900, in _apply'],
  ['gpu.startup.weights', '  File "/x/modules/models.py", line 94, in ExLlamav2_loader'],
  ['gpu.startup.utilization', '  File "/x/srt/mem_cache/memory_pool.py", line 300, in __init__'],
  ['gpu.startup.profiling', '  File "/x/_torch/pyexecutor/_util.py", line 200, in configure_kv_cache_capacity'],
])('the step that failed, by the frames of engines and libraries: %s: %s', async (cause, frame) => {
  expect(await verdictOf('Traceback (most recent call last):', frame, WORD)).toMatchObject({
    phase: 'startup',
    cause,
  });
});
