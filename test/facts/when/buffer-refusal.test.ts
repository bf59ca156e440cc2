import { describe, expect, it } from 'vitest';
import { logged, verdictOfFiles } from '../incident.ts';

const verdictOf = (...lines: readonly string[]) => verdictOfFiles(logged(...lines));

const REFUSED =
  'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 4096.00 MiB on device 0: cudaMalloc failed: out of memory';
const ON_THE_CARD = 'ggml_gallocr_reserve_n_impl: failed to allocate CUDA0 buffer of size 4294967296';
const NO_GRAPH = 'process_ubatch: failed to allocate graph';

describe('when a buffer of llama.cpp was refused', () => {
  const START = [
    'load_tensors:        CUDA0 model buffer size =  4155.99 MiB',
    'llama_context:      CUDA0 compute buffer size =   560.00 MiB',
    'common_init_from_params: warming up the model with an empty run - please wait ...',
  ];
  const READY = 'main: server is listening on http://0.0.0.0:8080 - starting the main loop';
  const WORK = 'slot launch_slot_: id  0 | task 120 | processing task';
  const FAILED = [REFUSED, ON_THE_CARD, NO_GRAPH];

  it.each([
    ['in the warm-up', 'startup', [...START, ...FAILED]],
    ['after it was ready', 'burst', [...START, READY, ...FAILED]],
    ['with a request in a slot', 'burst', [...START, READY, WORK, ...FAILED]],
    ['below the end of a log', 'burst', [WORK, ...FAILED]],
  ])('%s: %s', async (_, phase, lines) => {
    expect(await verdictOf(...lines)).toMatchObject({ plane: 'gpu', phase, certain: true });
  });

  it.each([[[ON_THE_CARD]], [[ON_THE_CARD, NO_GRAPH]], [FAILED]])(
    'nothing around it tells when: the card is certain and the time is open',
    async (lines) => {
      expect(await verdictOf(...lines)).toMatchObject({
        plane: 'gpu',
        phase: 'n/a',
        certain: true,
        causeCertain: false,
      });
    },
  );
});
