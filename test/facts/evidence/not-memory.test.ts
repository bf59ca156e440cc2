import { describe, expect, it } from 'vitest';
import { diagnoseFiles, type Files, known, logged } from '../incident.ts';

const diagnosed = (log: string, uptime = 'startup', files: Files = {}) =>
  diagnoseFiles({ ...files, ...logged(log), ...known({ engine: 'vllm', uptime }) });

const verdictOf = async (...given: Parameters<typeof diagnosed>) => (await diagnosed(...given)).diagnosis.verdict;

describe('a request that is refused', () => {
  it.each([
    ['Prompt is 11543 tokens but the model context window is 4096 tokens.', false],
    [
      String.raw`{"message":"The input (61709 tokens) is longer than the model\'s context length (40960 tokens).","code":400}`,
      true,
    ],
  ])('%s, certain: %s', async (line, certain) => {
    expect(await verdictOf(line, 'hours')).toMatchObject({ plane: 'none', cause: 'none.request-rejected', certain });
  });

  it.each([
    'max_num_batched_tokens (2048) must be greater than the input length',
    'a prompt of 9000 tokens needs more than 4 GiB of the cache',
    'Running: 2 reqs, input tokens 40, limit 90',
  ])('%s is none', async (line) => {
    expect(await verdictOf(line, 'hours')).toMatchObject({ plane: 'unknown' });
  });
});

describe('an error of the device, in a program that raises nothing', () => {
  it.each([
    ['none.driver', 'Error: llama runner process has terminated: HIP error: no ROCm-capable device is detected'],
    ['none.gpu-fault', 'MUSA error 719: unspecified launch failure'],
    ['none.gpu-fault', 'RuntimeError: ACL stream synchronize failed, error code:507022'],
    ['none.gpu-fault', 'synchronize stream failed, runtime result = 507056[FUNC:ReportCallError]'],
  ])('%s: %s', async (cause, line) => {
    expect(await verdictOf(`load progress 0.93\n${line}\n  current device: 0`)).toMatchObject({ plane: 'none', cause });
  });

  it('a call that failed to allocate is of memory', async () => {
    expect(await verdictOf('CUDA error: the resource allocation failed')).toMatchObject({ plane: 'gpu' });
  });

  it('the file of an assertion is none of its words', async () => {
    const line =
      'RuntimeError: captures.empty() INTERNAL ASSERT FAILED at "../c10/cuda/CUDACachingAllocator.cpp":2967, please report a bug to PyTorch.';

    expect(await verdictOf(line)).toMatchObject({ plane: 'none', cause: 'none.other' });
  });
});

describe('an engine that ends itself', () => {
  const WORKER =
    "RuntimeError: Worker failed with error ''tuple' object has no attribute 'ndim'', please check the stack trace above for the root cause";
  const ENDS =
    'CRITICAL 05-19 22:17:53 [core_client.py:359] Got fatal signal from worker processes, shutting down. See stack trace above for root cause issue.';

  it('leaves the word of the shell for a kill, which is not of the kernel', async () => {
    expect(await verdictOf(`${WORKER}\n${ENDS}\nKilled`)).toMatchObject({ plane: 'none', cause: 'none.other' });
  });

  it('by itself the word stands for a want of RAM', async () => {
    expect(await verdictOf('Killed')).toMatchObject({ plane: 'host' });
    expect(await verdictOf(`Killed\n${ENDS}`)).toMatchObject({ plane: 'host' });
  });
});

describe('what others say of a death', () => {
  const FRAMES = '  File "/opt/vllm/v1/engine/core.py", line 518, in run_busy_loop\n    self._process_input_queue()';
  const HEAD = 'ERROR [core.py:502] Traceback (most recent call last):';

  it('a program that ended without an error is no death', async () => {
    expect(await verdictOf('inference server exited with code 0', 'hours')).toMatchObject({ plane: 'none' });
    expect(await verdictOf('inference server exited with code 1', 'hours')).toMatchObject({ plane: 'unknown' });
  });

  it('a step that timed out was waiting, wherever its frames lie', async () => {
    const line = 'ERROR async_llm_engine.py:532] Engine iteration timed out. This should never happen!';

    expect(await verdictOf(`${line}\n${HEAD}\n${FRAMES}`, 'hours')).toMatchObject({
      plane: 'none',
      cause: 'none.comm',
    });
  });
});

describe('a line of several causes', () => {
  const WAITED = 'timed out waiting for llama runner to start';

  it('names its own', async () => {
    expect(await verdictOf(WAITED)).toMatchObject({ cause: 'none.other' });
    expect(await verdictOf(`${WAITED}: CUDA error: uncorrectable ECC error encountered`)).toMatchObject({
      cause: 'none.gpu-fault',
    });
  });

  it('that a rank is waited for says less than that a call ran out of time', async () => {
    const waits = 'INFO [shm_broadcast.py:466] No available shared memory broadcast block found in 60 seconds.';

    expect(await verdictOf(waits)).toMatchObject({ plane: 'none', cause: 'none.comm', certain: false });
    expect(await verdictOf(`${waits}\nTimeoutError: RPC call to sample_tokens timed out`)).toMatchObject({
      cause: 'none.comm',
    });
  });
});

describe('words of drivers, probes and downloads', () => {
  it.each([
    ['none.config', "ERROR: Model 'acme' not found. Available models: other"],
    ['none.probe-kill', 'kubelet: readiness and liveness failures'],
    ['none.other', 'error sending request for url (https://example.org/model)'],
  ])('%s: %s', async (cause, line) => {
    expect(await verdictOf(line)).toMatchObject({ plane: 'none', cause });
  });

  it('a part that is not supported is no silent start', async () => {
    const lines =
      '[2026-07-18 03:03:06 TP5] Allocating 120.00 GB host memory for hierarchical KV cache.\n[2026-07-18 03:04:05 TP6] Unsupported element_size = 656 for JIT HiCache kernel';

    expect(await verdictOf(lines)).toMatchObject({ plane: 'none', cause: 'none.config' });
  });
});

describe('a size that no machine has', () => {
  it.each([
    '[GPU] Exceeded max size of memory object allocation: requested 2305843008391495680 bytes, but max alloc size supported by device is 4294959104 bytes.',
    'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 17592186044415.98 MiB on device 0: cudaMalloc failed: out of memory',
    'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 8388608.00 TiB. GPU 0 has a total capacity of 79.11 GiB',
    'the engine could not allocate 9007199254740992 bytes of GPU memory',
  ])('was computed wrong: %s', async (line) => {
    expect(await verdictOf(line, 'hours')).not.toMatchObject({ plane: 'gpu' });
  });

  it('a limit that nobody set is as large, and no request', async () => {
    const line =
      'CUDA out of memory. Tried to allocate 2.00 GiB. PyTorch limit (set by user-supplied memory fraction): 17179869184.00 GiB';

    expect(await verdictOf(line)).toMatchObject({ plane: 'gpu' });
  });
});

describe('an end that came from outside', () => {
  it.each([
    'INFO:     Waiting for connections to close. (CTRL+C to force quit)',
    'INFO:     Waiting for application shutdown.',
  ])('%s', async (lines) => {
    expect(await verdictOf(lines)).toMatchObject({ plane: 'none', cause: 'none.probe-kill' });
  });

  it('is not why where an error stands above it', async () => {
    const verdict = await verdictOf('ValueError: the model is not what it was\nKeyboardInterrupt');

    expect(verdict.plane).toBe('none');
    expect(verdict.cause).not.toBe('none.probe-kill');
  });
});

describe('programs that raise nothing', () => {
  it.each([
    ['none.other', "terminate called after throwing an instance of 'std::out_of_range'\n  what():  map::at"],
    ['none.other', 'Error: llama runner process has terminated: exit status 0xc0000005'],
    ['none.config', 'Error: llama runner process has terminated: exit status 0xc0000135'],
  ])('%s: %s', async (cause, lines) => {
    expect(await verdictOf(lines)).toMatchObject({ plane: 'none', cause });
  });

  it.each([
    'Error: llama runner process has terminated: exit status 2',
    "terminate called after throwing an instance of 'std::runtime_error'\n  what():  unable to allocate backend buffer",
  ])('of %s nothing is known', async (lines) => {
    expect(await verdictOf(lines)).toMatchObject({ plane: 'unknown' });
  });
});

describe('a call that takes no memory', () => {
  const REFUSED = (call: string) =>
    `CUDA error: out of memory\n  current device: 0, in function alloc at ggml-cuda.cu:476\n  ${call}`;

  it.each([
    REFUSED('cuMemAddressReserve(&pool_addr, CUDA_POOL_VMM_MAX_SIZE, 0, 0, 0)'),
    'CUDA error: CUDA_ERROR_OUT_OF_MEMORY\n  cuMemAddressReserve(&pool_addr, CUDA_POOL_VMM_MAX_SIZE, 0, 0, 0)',
    'ROCm error: out of memory\n  hipMemAddressReserve(&pool_addr, CUDA_POOL_VMM_MAX_SIZE, 0, 0, 0)',
    'CUDA error 2 at mem_heap.cpp:214 cuMemAddressReserve: out of memory',
    'cuMemAddressReserve failed: out of memory',
  ])('is none, however its failure is named: %s', async (lines) => {
    expect(await verdictOf(lines, 'hours')).toMatchObject({ plane: 'none', cause: 'none.driver', certain: false });
  });

  it.each([
    REFUSED('cuMemCreate(&handle, reserve_size, &prop, 0)'),
    'CUDA error: CUDA_ERROR_OUT_OF_MEMORY\n  cuMemCreate(&handle, reserve_size, &prop, 0)',
    'dlsym cuMemAddressReserve resolved from libcuda.so.1\nCUDA error: CUDA_ERROR_OUT_OF_MEMORY',
  ])('takes nothing away from one that does: %s', async (lines) => {
    expect(await verdictOf(lines, 'hours')).toMatchObject({ plane: 'gpu', certain: true });
  });
});

const SKIPS =
  '[TRT] [W] Tactic Device request: 157500MB Available: 40339MB. Device memory is insufficient to use tactic.';

it('a way that the builder of TensorRT leaves out for want of memory is no failure: it takes another', async () => {
  expect(await verdictOf(SKIPS)).toMatchObject({ plane: 'unknown' });
  expect(await verdictOf(`${SKIPS}\n[TRT] [E] Device memory is insufficient to load the engine.`)).toMatchObject({
    plane: 'gpu',
  });
});

describe('an error that a pool of memory raises', () => {
  const raised = (file: string, error: string) =>
    [
      'Traceback (most recent call last):',
      '  File "/opt/vllm/v1/engine/core.py", line 500, in step',
      `  File "/opt/vllm/v1/core/${file}", line 182, in get_new`,
      '    raise ValueError(',
      error,
    ].join('\n');

  it.each([
    ['block_pool.py', 'ValueError: Cannot hand out 3'],
    ['single_type_kv_cache_manager.py', 'RuntimeError: nothing is left to hand out'],
    ['cpu_gpu_allocator.py', 'AssertionError: the list is empty'],
  ])('is not certain to be something else: %s, %s', async (file, error) => {
    expect(await verdictOf(raised(file, error), 'hours')).toMatchObject({ certain: false });
  });

  it.each([
    ['sched/scheduler.py', 'ValueError: Cannot hand out 3'],
    ['block_pool.py', "AttributeError: 'NoneType' object has no attribute 'block_id'"],
  ])('near miss: %s, %s', async (file, error) => {
    expect(await verdictOf(raised(file, error), 'hours')).toMatchObject({ plane: 'none', certain: true });
  });
});

it('a traceback that begins in the line of a wrapper is an error, though the wrapper decides nothing', async () => {
  const log = [
    '[2026-02-11 14:20:37 TP0] Prefill batch, #new-seq: 3, #new-token: 16384, #cached-token: 0, token usage: 0.31, #running-req: 0, #queue-req: 212,',
    '[2026-02-11 14:20:38 TP0] Scheduler hit an exception: Traceback (most recent call last):',
    '  File "/opt/sglang/srt/managers/scheduler.py", line 3616, in run_scheduler_process',
    '    scheduler.run_event_loop()',
  ];

  const { facts, diagnosis } = await diagnosed(log.join('\n'), 'hours', {});

  expect(facts.get('log.error-seen')).toMatchObject({ value: true });
  expect(diagnosis.verdict.finding).not.toBe('none-runs-on');
});

const failed =
  'time=2025-08-26T08:15:27.611Z level=INFO source=gpu.go:612 msg="Unable to load cudart library /usr/lib/libcuda.so.575: cuda driver library init failure: 100"';
const refused =
  'time=2025-08-26T08:19:02.077Z level=WARN source=server.go:170 msg="model request too large for system" requested="12.9 GiB" available="9.4 GiB" total="15.5 GiB" free="9.2 GiB" swap="211.0 MiB"';

it('a driver that does not work near miss: a machine without a device', async () => {
  expect(await verdictOf(`${failed}\n${refused}`)).toMatchObject({ cause: 'host.startup.limit', certain: true });
});

describe('a limit of the system that a process met', () => {
  it.each([
    [
      'Too many threads or processes',
      'E0710 15:24:06.605 2474524 thd.cc:157] pthread_create failed: Resource temporarily unavailable',
    ],
    // OpenBLAS before 0.3.10, driver/others/blas_server.c
    [
      'Too many threads or processes',
      "OpenBLAS blas_thread_init: pthread_create: Resource temporarily unavailable\nOpenBLAS blas_thread_init: RLIMIT_NPROC 4096 current, 4096 max\nterminate called after throwing an instance of 'std::system_error'\n  what():  Resource temporarily unavailable\nAborted",
    ],
    ['Too many open files', 'zmq.error.ZMQError: Too many open files'],
    ['Too many open files', 'OSError: [Errno 24] Too many open files\nsocket.accept() out of system resource'],
  ])('%s is what the card names', async (headline, log) => {
    const { diagnosis } = await diagnosed(log, 'hours');

    expect(diagnosis.verdict).toMatchObject({ plane: 'none', certain: false });
    expect(diagnosis.headline).toBe(headline);
  });

  it('a line of another failure is named no twice as probable', async () => {
    const { diagnosis } = await diagnosed('worker exited with exit code 136', 'hours');

    expect(diagnosis.headline).toBe('Not memory');
  });
});
