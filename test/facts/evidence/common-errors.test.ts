import { describe, expect, it } from 'vitest';
import { known, logged, verdictOfFiles } from '../incident.ts';

const verdictOf = (line: string, uptime = 'startup') => verdictOfFiles({ ...logged(line), ...known({ uptime }) });

describe('errors that end a start and are no lack of memory', () => {
  it.each([
    [
      'none.driver',
      'RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 802: system not yet initialized',
    ],
    ['none.driver', 'RuntimeError: Failed to infer device type'],
    [
      'none.driver',
      'RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a driver',
    ],
    [
      'none.driver',
      'torch.cuda.DeferredCudaCallError: CUDA call failed lazily at initialization with error: device >= 0 && device < num_gpus INTERNAL ASSERT FAILED',
    ],
    ['none.gpu-fault', 'RuntimeError: CUDA error: device-side assert triggered'],
    ['none.gpu-fault', 'RuntimeError: CUDA error: unspecified launch failure'],
    ['none.gpu-fault', 'RuntimeError: CUDA error: misaligned address'],
    ['none.gpu-fault', 'NVRM: Xid (PCI:0000:01:00): 79, pid=1234, GPU has fallen off the bus.'],
    [
      'none.comm',
      '[rank1]:[E ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=21, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600029 milliseconds before timing out.',
    ],
    ['none.comm', 'TimeoutError: RPC call to execute_model timed out.'],
    [
      'none.comm',
      'ray.exceptions.RayChannelTimeoutError: System error: Timed out waiting for object available to read.',
    ],
    ['none.comm', "zmq.error.ZMQError: Address already in use (addr='tcp://0.0.0.0:5555')"],
    [
      'none.config',
      "ValueError: Model architectures ['FooForCausalLM'] are not supported for now. Supported architectures: ['BarForCausalLM']",
    ],
    ['none.config', 'ValueError: Total number of attention heads (28) must be divisible by tensor parallel size (8).'],
    ['none.config', 'OSError: /models/foo does not appear to have a file named config.json.'],
    [
      'none.config',
      'huggingface_hub.errors.RepositoryNotFoundError: 401 Client Error. Repository Not Found for url: https://huggingface.co/foo',
    ],
    [
      'none.request-rejected',
      "ValueError: This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
    ],
    [
      'none.request-rejected',
      'Error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 1000 `max_new_tokens`',
    ],
    ['none.request-rejected', 'Input prompt (5000 tokens) is too long and exceeds limit of 4096'],
    [
      'none.preemption-warning',
      'WARNING 07-10 10:00:00 scheduler.py:1057] Sequence group 12 is preempted by PreemptionMode.RECOMPUTE mode because there is not enough KV cache space. This can affect the end-to-end performance. Increase gpu_memory_utilization or tensor_parallel_size to provide more KV cache memory. total_num_cumulative_preemption=1',
    ],
    [
      'none.preemption-warning',
      'KV cache pool is full. Retract requests. #retracted_reqs: 1, #new_token_ratio: 0.7 -> 1.0',
    ],
    ['none.scheduling', '0/5 nodes are available: 5 Insufficient nvidia.com/gpu. preemption: 0/5 nodes are available'],
    [
      'none.scheduling',
      'Warning  FailedScheduling  3m  default-scheduler  0/3 nodes are available: 1 node(s) had untolerated taint {nvidia.com/gpu: true}, 2 Insufficient memory.',
    ],
    [
      'none.scheduling',
      'pods "vllm-0" is forbidden: exceeded quota: gpu-quota, requested: requests.nvidia.com/gpu=1, used: requests.nvidia.com/gpu=4, limited: requests.nvidia.com/gpu=4',
    ],
    [
      'none.probe-kill',
      'Warning  Unhealthy  2m (x3 over 3m)  kubelet  Startup probe failed: Get "http://10.0.0.1:8000/health": dial tcp 10.0.0.1:8000: connect: connection refused',
    ],
    ['none.probe-kill', 'Liveness probe failed: HTTP probe failed with statuscode: 503'],
  ] as const)('%s: %s', async (cause, line) => {
    expect(await verdictOf(line)).toMatchObject({ plane: 'none', cause });
  });
});

describe('errors of memory, whoever prints them', () => {
  it.each([
    [
      'host',
      'numpy.core._exceptions._ArrayMemoryError: Unable to allocate 12.3 GiB for an array with shape (1, 2) and data type float32',
    ],
    [
      'host',
      'Memory cgroup out of memory: Killed process 1234 (python3) total-vm:123456kB, anon-rss:654321kB, file-rss:0kB, shmem-rss:0kB',
    ],
    ['host', 'Out of memory: Killed process 1234 (python) total-vm:123456kB, anon-rss:654321kB'],
    ['host', './run.sh: line 3:    17 Killed                  python3 serve.py'],
    [
      'gpu',
      'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 8192.00 MiB on device 0: cudaMalloc failed: out of memory',
    ],
    ['gpu', 'RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB'],
    ['gpu', 'torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB.'],
    ['gpu', 'RuntimeError: NPU out of memory. Tried to allocate 2.00 GiB (NPU 0; 60.97 GiB total capacity)'],
  ] as const)('%s: %s', async (plane, line) => {
    expect((await verdictOf(line)).plane).toBe(plane);
  });
});

describe('an error that no phrase knows', () => {
  it('is no certain verdict', async () => {
    expect(await verdictOf('ValueError: the widget of layer 3 is odd')).toMatchObject({
      plane: 'none',
      cause: 'none.config',
      certain: false,
    });
  });

  it.each([
    ['of a group of ranks', '[E ProcessGroup', 'none', 'none.comm'],
    [
      'of a device, told by a group of ranks',
      '[rank0]:[E1012 10:00:00.123456789 ProcessGroupNCCL.cpp:1595] Process group watchdog thread terminated with exception: CUDA error: an illegal memory access was encountered',
      'none',
      'none.gpu-fault',
    ],
  ])('beside an actor of Ray that died, an error %s decides', async (_what, line, plane, cause) => {
    const died = 'The actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR';

    expect(await verdictOf(`${died}\n${line}`, 'hours')).toMatchObject({ plane, cause });
  });

  it('is an error of the engine once the engine has served', async () => {
    expect(await verdictOf('ValueError: the widget of layer 3 is odd', 'hours')).toMatchObject({
      plane: 'none',
      cause: 'none.other',
    });
  });

  it.each([
    'ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.',
    '{"level":"ERROR","message":"Request failed during generation: Server error: error trying to connect: No such file or directory (os error 2)"}',
    'Request failed during generation: Server error: transport error',
  ])('is not made of the echo of a death: %s', async (line) => {
    expect(await verdictOf(line, 'minutes')).toMatchObject({ plane: 'unknown', certain: false });
  });
});
