import { describe, expect, it } from 'vitest';
import { known, logged, verdictOfFiles } from '../incident.ts';

const verdictOf = (log: string, { uptime = 'startup', engine = 'vllm', files = {} } = {}) =>
  verdictOfFiles({ ...files, ...logged(log), ...known({ engine, uptime }) });

describe('a last line that breaks off', () => {
  it.each([
    ['it begins as lines of several kinds do', 'RuntimeError: CUDA error: '],
    ['it is whole, and of another kind', 'RuntimeError: CUDA Error: out of tune'],
    [
      'an answer of the server is no failure',
      'INFO:     127.0.0.1:52108 - "POST /v1/chat/completions HTTP/1.1" 500 Int',
    ],
  ])('tells nothing where %s', async (_, line) => {
    expect(['gpu', 'host', 'both']).not.toContain((await verdictOf(`INFO starts\n${line}`)).plane);
  });

  it('that others follow was not cut by the paste', async () => {
    const log = 'RuntimeError: CUDA Error: out of mem\nINFO goes on\nINFO and on';

    expect((await verdictOf(log)).plane).not.toBe('gpu');
  });
});

describe('a traceback that breaks off below its last call', () => {
  const TRACE = [
    '    return forward_call(*args, **kwargs)',
    '  File "/v/vllm/model_executor/layers/fused_moe/fused_moe.py", line 1295, in fused_experts_impl',
  ];
  const cut = (...calls: readonly string[]) => verdictOf(['INFO starts', ...TRACE, ...calls].join('\n'));

  it.each([
    ['the call takes none', ['    x = self.norm(x)']],
    ['it takes RAM', ['    buffer = torch.empty(n, device="cpu", pin_memory=True)']],
    ['the error stands below', ['    x = torch.empty(n)', 'RuntimeError: CUDA error: invalid argument']],
  ])('tells nothing where %s', async (_, calls) => {
    expect((await cut(...calls)).plane).not.toBe('gpu');
  });

  it('in the first call to the device is of the driver, most likely', async () => {
    const log = [
      'ERROR 06-06 14:09:57 worker_base.py:148]   File "/p/torch/cuda/__init__.py", line 444, in get_device_properties',
      'ERROR 06-06 14:09:57 worker_base.py:148]     _lazy_init()  # will define _get_device_properties',
    ].join('\n');

    expect(await verdictOf(log)).toMatchObject({ plane: 'none', cause: 'none.driver', certain: false });
  });
});

describe('a failure whose own line is lost', () => {
  it('of a call for room in the pool of ggml', async () => {
    const log =
      '/src/ggml/src/ggml-cuda/ggml-cuda.cu:102: CUDA error\n  current device: 0, in function alloc at /src/ggml/src/ggml-cuda/ggml-cuda.cu:538\n  cuMemCreate(&handle, reserve_size, &prop, 0)';

    expect(await verdictOf(log, { uptime: 'hours', engine: 'llama.cpp' })).toMatchObject({
      plane: 'gpu',
      phase: 'burst',
    });
  });

  it('of another call of ggml points nowhere', async () => {
    const log =
      '/src/ggml/src/ggml-cuda/ggml-cuda.cu:102: CUDA error\n  current device: 0, in function ggml_backend_cuda_synchronize at /src/ggml/src/ggml-cuda/ggml-cuda.cu:2538\n  cudaStreamSynchronize(cuda_ctx->stream())';

    expect((await verdictOf(log, { uptime: 'hours', engine: 'llama.cpp' })).plane).not.toBe('gpu');
  });

  it('of the swap space of V0, below the frame that asked for it', async () => {
    const log =
      '  File "/v/vllm/core/scheduler.py", line 406, in _preempt_by_swap\n    self._swap_out(seq_group, blocks_to_swap_out)';

    expect(await verdictOf(log, { uptime: 'hours' })).toMatchObject({ cause: 'gpu.burst.concurrency', certain: false });
  });

  it('of the warm-up of TGI, whatever its launcher says next', async () => {
    const log =
      '2023-12-14T20:05:11.872041Z  INFO text_generation_router: router/src/main.rs:213: Warming up model\n2023-12-14T20:05:14.310662Z ERROR text_generation_launcher: Method Warmup encountered an error.\nTraceback (most recent call last):\n\n  File "/opt/conda/bin/text-generation-server", line 8, in <module>\n    sys.exit(app())\nError: WebserverFailed';

    expect(await verdictOf(log, { engine: 'tgi' })).toMatchObject({
      plane: 'gpu',
      cause: 'gpu.startup.profiling',
      certain: false,
    });
  });
});

describe('what stands in RAM or in /dev/shm', () => {
  it('of NCCL, by the first file in its chain of callers', async () => {
    const log =
      'a:33:33 [2] NCCL INFO transport/shm.cc:114 -> 2\na:33:33 [2] NCCL INFO transport.cc:33 -> 2\nwhat():  [TensorRT-LLM][ERROR] Assertion failed: Failed: MPI error';

    expect(await verdictOf(log, { engine: 'tensorrt-llm' })).toMatchObject({
      plane: 'host',
      cause: 'host.shm',
      certain: false,
    });
  });

  it('of AIBrix, by the size that it was told', async () => {
    const files = { 'args.txt': 'AIBRIX_KV_CACHE_OL_L1_CACHE_CAPACITY_GB=96 --tensor-parallel-size 2\n' };
    const log = 'INFO 06-03 03:40:19 [default_loader.py:268] Loading weights took 21.77 seconds';

    expect(await verdictOf(log, { files })).toMatchObject({ plane: 'host', cause: 'host.offload', certain: false });
  });
});
