import { describe, expect, it } from 'vitest';
import { diagnoseFiles, known, logged, verdictOfFiles } from '../incident.ts';

const verdictOf = (...lines: string[]) => verdictOfFiles(logged(...lines));

const REFUSED =
  'CUDA runtime error in ::cudaMallocAsync(ptr, n, mCudaStream->get()): out of memory (/src/tensorrt_llm/runtime/tllmBuffers.h:125)';

it('a backend of TEI that is not healthy for want of memory failed in its trial run', async () => {
  const lines = [
    'Error: Model backend is not healthy',
    'Caused by:',
    '    DriverError(CUDA_ERROR_OUT_OF_MEMORY, "out of memory")',
  ];

  expect(await verdictOf(...lines)).toMatchObject({ plane: 'gpu', phase: 'startup', cause: 'gpu.startup.profiling' });
});

it('buffers of TensorRT-LLM that may be those of the largest batch or of the pool leave the cause open', async () => {
  expect(await verdictOf(`[TensorRT-LLM][ERROR] ${REFUSED}`)).toMatchObject({
    certain: true,
    causeCertain: false,
    alternatives: expect.arrayContaining(['gpu.startup.kv-room', 'gpu.startup.weights']),
  });
});

// The frames of its C++ stack, each in a line of its own or all behind the error, as Triton passes them on.
const POOL_FRAMES = [
  '2       0x7cb3c528a6e3 tensorrt_llm::runtime::BufferManager::gpuSync(nvinfer1::Dims64, nvinfer1::DataType) + 339',
  '3       0x7cb3c5bae3ab tensorrt_llm::batch_manager::kv_cache_manager::WindowBlockManager::allocatePools(bool) + 635',
];
const STEP_FRAMES = [
  '2       0x7f45c8ab8d23 tensorrt_llm::runtime::BufferManager::gpu(nvinfer1::Dims64, nvinfer1::DataType) const + 515',
  '3       0x7f45c8f84fc7 tensorrt_llm::batch_manager::RuntimeBuffers::prepareStep(std::vector<int> const&, int) + 194',
];

it.each([
  ['startup', 'gpu.startup.utilization', POOL_FRAMES],
  ['burst', 'gpu.burst.headroom', STEP_FRAMES],
])('frames of TensorRT-LLM below the error: %s, %s', async (phase, cause, frames) => {
  const lines = [`[TensorRT-LLM][ERROR] ${REFUSED}`, ...frames];

  expect(await verdictOf(...lines)).toMatchObject({ plane: 'gpu', phase, cause });
  expect(await verdictOf(lines.join('\\n'))).toMatchObject({ plane: 'gpu', phase, cause });
});

describe('what runtimes of accelerators say of the step that failed', () => {
  it.each([
    ['startup', 'gpu.startup.profiling', [`[TensorRT-LLM][ERROR] ${REFUSED}`]],
    [
      'burst',
      'gpu.burst.headroom',
      [
        '[TensorRT-LLM][INFO] Loaded engine size: 15388 MiB',
        `RuntimeError: Encountered an error in forwardAsync function: [TensorRT-LLM][ERROR] ${REFUSED}`,
      ],
    ],
    [
      'startup',
      'gpu.startup.weights',
      [
        '[TensorRT-LLM][INFO] Loaded engine size: 68370 MiB',
        '[TensorRT-LLM][WARNING] Requested amount of GPU memory (69568823808 bytes) could not be allocated. There may not be enough free memory for allocation to succeed.',
        '[TensorRT-LLM][ERROR] [deserialize.cpp::load::572] Error Code 2: OutOfMemory (Requested size was 69568823808 bytes.)',
        'Error: [TensorRT-LLM][ERROR] Assertion failed: Failed to deserialize cuda engine. (/src/tensorrt_llm/runtime/tllmRuntime.cpp:135)',
      ],
    ],
    // The engine of a draft model, or of another rank, behind one that is on the device.
    [
      'startup',
      'gpu.startup.weights',
      [
        '[TensorRT-LLM][INFO] Loaded engine size: 15600 MiB',
        '[TensorRT-LLM][INFO] [MemUsageChange] TensorRT-managed allocation in engine deserialization: CPU +0, GPU +15590, now: CPU 0, GPU 15590 (MiB)',
        '[TensorRT-LLM][INFO] Loaded engine size: 15600 MiB',
        '[TRT] [W] Requested amount of GPU memory (15600000000 bytes) could not be allocated. There may not be enough free memory for allocation to succeed.',
      ],
    ],
  ])('%s: %s', async (phase, cause, lines) => {
    expect(await verdictOf(...lines)).toMatchObject({ plane: 'gpu', phase, cause });
  });

  const BAR = (share: string) => `Convert to turbomind format: ${share}|####      | 20/32 [00:10<00:20,  3.10it/s]`;
  const REFUSED_TM =
    '  what():  [TM][ERROR] CUDA runtime error: out of memory /lmdeploy/src/turbomind/utils/allocator.h:232 ';

  it.each([
    ['gpu.startup.weights', [BAR('  0%'), BAR(' 64%')]],
    // A second bar behind the first.
    ['gpu.startup.weights', [BAR(' 64%'), BAR('100%'), BAR(' 31%')]],
  ])('a load whose bar comes to its end is over: %s', async (cause, bars) => {
    expect(await verdictOf(...bars, REFUSED_TM)).toMatchObject({ plane: 'gpu', phase: 'startup', cause });
  });

  const refused = (what: string) =>
    `ggml_backend_cuda_buffer_type_alloc_buffer: allocating 900.00 MiB on device 0: cudaMalloc failed: out of memory\n${what}`;

  it.each([
    // The loader of an encoder does not look whether it got a buffer for its weights.
    ['gpu.startup.weights', refused('/src/ggml/src/ggml-backend.cpp:160: GGML_ASSERT(buffer) failed')],
    ['gpu.startup.profiling', refused('ggml_gallocr_reserve_n: failed to allocate CUDA0 buffer of size 943718400')],
  ])('after cache and weights of the model: %s', async (cause, end) => {
    const lines = [
      'load_tensors:        CUDA0 model buffer size = 9000.00 MiB',
      'llama_kv_cache:      CUDA0 KV buffer size =  2048.00 MiB',
      'clip_model_loader: model name:   some-eyes',
      end,
    ];

    expect(await verdictOf(...lines)).toMatchObject({ plane: 'gpu', phase: 'startup', cause });
  });

  it('what a warning names of settings is no part that failed', async () => {
    const verdict = await verdictOf(
      'WARNING 02-11 14:13:41 model_runner.py:91] On-device sampling is on, only top_k and top_p are supported.',
      'Loading safetensors checkpoint shards:  50% Completed | 2/4',
      'RuntimeError: nrt_tensor_allocate status=4 message="Allocation Failure"',
    );

    expect(verdict).toMatchObject({ plane: 'gpu', phase: 'startup', cause: 'gpu.startup.weights' });
  });
});

it('the part of a KV cache on one GPU is not what is left on another', async () => {
  const { facts, diagnosis } = await diagnoseFiles(
    logged(
      'llama_kv_cache_init:      CUDA0 KV buffer size =  3840.00 MiB',
      'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 4480.00 MiB on device 1: cudaMalloc failed: out of memory',
      'llama_kv_cache_init: failed to allocate buffer for kv cache',
      'llama_init_from_model: llama_kv_cache_init() failed for self-attention cache',
    ),
  );

  expect(diagnosis.verdict).toMatchObject({ plane: 'gpu', cause: 'gpu.startup.kv-room' });
  expect(facts.get('engine.kv-available')).toMatchObject({ kind: 'unknown' });
});

const WORD = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 204.00 MiB.';
const STEP = '  File "/x/vllm/v1/worker/gpu_model_runner.py", line 2000, in execute_model';
const VISION = [
  '  File "/x/vllm/model_executor/models/qwen2_5_vl.py", line 393, in forward',
  '    qk = qk.contiguous()',
];
const TEXT = ['  File "/x/vllm/model_executor/models/qwen2.py", line 320, in forward', '    x = self.mlp(x)'];
const HANDED_ON = [
  '  File "/x/vllm/model_executor/models/qwen2_5_vl.py", line 1100, in forward',
  '    hidden_states = self.language_model.model(',
];

it.each([
  ['gpu.burst.multimodal', 'its own forward is the innermost', VISION],
  ['gpu.burst.headroom', 'it calls on into the language model', [...HANDED_ON, ...TEXT]],
  ['gpu.burst.headroom', 'the frames of the language model are cut off', HANDED_ON],
  ['gpu.burst.headroom', 'another file of models is the innermost', [...VISION, ...TEXT]],
])('the model file of a model that takes images: %s: %s', async (cause, _, frames) => {
  expect(await verdictOf('Traceback (most recent call last):', STEP, ...frames, WORD)).toMatchObject({
    plane: 'gpu',
    phase: 'burst',
    cause,
  });
});

it.each([
  ['startup', 'gpu.startup.kv-room', 'ValueError: the KV cache needs 24.0 GiB, only 13.7 GiB are left'],
  ['startup', 'gpu.startup.weights', 'Memory error: Tried to allocate 2.00 GiB'],
  [
    'startup',
    'gpu.startup.weights',
    'RuntimeError: [TM][ERROR] CUDA runtime error: out of memory /x/turbomind/utils/memory_utils.cu:32',
  ],
])('a size that the GPU could not give, in the words of whoever retells it: %s: %s', async (phase, cause, line) => {
  const { diagnosis } = await diagnoseFiles({
    'previous.log': `loading model\n${line}\n`,
    ...known({ engine: 'some engine', uptime: 'startup', gpu: { model: 'Jetson AGX Orin' } }),
  });

  expect(diagnosis.verdict).toMatchObject({ plane: 'gpu', phase, cause });
});
