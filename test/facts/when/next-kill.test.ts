import { describe, expect, it } from 'vitest';
import { known, logged, verdictOfFiles } from '../incident.ts';

const REFUSED =
  'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 90.00 MiB (GPU 0; 15.90 GiB total capacity; 15.40 GiB already allocated; 30.00 MiB free; 15.42 GiB reserved in total by PyTorch)';
const BAR = 'Loading checkpoint shards:  50%|█████     | 1/2 [00:30<00:30, 30.02s/it]';

describe('a paste of two runs: the device refused the first, its shell saw the second killed', () => {
  it.each([
    ['gpu', 'what remained of the same run was killed', [REFUSED, 'Killed']],
    ['gpu', 'the load stood above the refusal', [BAR, REFUSED, 'Killed']],
    ['gpu', 'the log goes on', [REFUSED, `${BAR}Killed`, 'CUDA out of memory again: model not loaded']],
    ['host', 'no device refused', [`${BAR}Killed`]],
  ])('%s: %s', async (plane, _, lines) => {
    expect(await verdictOfFiles(logged(...lines))).toMatchObject({ plane });
  });
});

const START = 'build: 6100 (65c797c4) with cc';
const TWO = "INFO 07-10 10:00:01 [utils.py:326] non-default args: {'model': 'm', 'tensor_parallel_size': 2}";

it.each([
  ['a bar of another rank goes on', [TWO, REFUSED, BAR, 'Killed']],
  ['the bar above goes on', [BAR.replace('50%', '10%'), REFUSED, BAR, 'Killed']],
  ['a server ends its children', [REFUSED, BAR, 'Received sigquit from a child process.', 'Killed']],
  ['somebody ends it', [REFUSED, BAR, 'root@n:~# pkill -9 -f vllm', 'Killed']],
  [
    'the time of the job is up',
    [
      REFUSED,
      START,
      BAR,
      'slurmstepd: error: *** STEP 7.0 ON n CANCELLED AT 2026-07-02T16:04:53 DUE TO TIME LIMIT ***',
      'Killed',
    ],
  ],
  ['a bound of time ends it', [REFUSED, START, BAR, 'timeout: sending signal KILL to command vllm', 'Killed']],
])('a kill below a refusal is not of RAM where %s', async (_, lines) => {
  expect(await verdictOfFiles(logged(...lines))).toMatchObject({ plane: 'gpu' });
});

const LOG = [
  'srv  update_slots: all slots are idle',
  'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 900.00 MiB on device 0: cudaMalloc failed: out of memory',
];
const LIMIT = '[  101.101] amdgpu: SVM mapping failed, exceeds resident system memory limit';

it.each([
  ['says nothing of it', 'amdgpu: some other line'],
  ['had none to map days before', `${LIMIT}\n[864000.000] amdgpu: ring idle`],
])('the driver of a GPU that maps RAM leaves it to the card where it %s', async (_, kernel) => {
  expect(await verdictOfFiles({ ...logged(...LOG), 'kernel.txt': `${kernel}\n` })).toMatchObject({
    plane: 'gpu',
    causeCertain: false,
  });
});

it('ONNX Runtime fails at a node of the graph, which computes a whole batch', async () => {
  const verdict = await verdictOfFiles({
    ...known({ engine: 'triton (onnxruntime)', uptime: 'minutes' }),
    'previous.log':
      'onnx runtime error 6: Non-zero status code returned while running MatMul node. Status Message: bfc_arena.cc:376 void* onnxruntime::BFCArena::AllocateRawInternal Failed to allocate memory for requested buffer of size 4294967296\n',
  });

  expect(verdict).toMatchObject({ plane: 'gpu', phase: 'burst', cause: 'gpu.burst.batched-tokens' });
});
