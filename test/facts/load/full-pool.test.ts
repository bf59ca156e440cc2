import { describe, expect, it } from 'vitest';
import { logged, valueIn, verdictOfFiles } from '../incident.ts';
import { verdictOf } from '../raised-error.ts';

const SERVES =
  '(APIServer pid=1) INFO 02-11 10:31:55 [loggers.py:259] Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: 90.0 tokens/s, Running: 9 reqs, Waiting: 4 reqs, GPU KV cache usage: 22.7%, Prefix cache hit rate: 63.0%';
const FULL = SERVES.replace('22.7%', '98.9%');
const ofLmcache =
  '[2026-02-11 10:31:52,004] LMCache WARNING: No eviction candidates found in local cpu backend. Local cpu memory is under pressure. Waiting for 0.1 seconds before retrying.';
const ofMooncake =
  '(Worker_TP3 pid=509) WARNING 10-21 23:01:17 [worker.py:969] Detected Mooncake CPU/disk offloading pressure (NO_AVAILABLE_HANDLE); skipping future store batches for request chatcmpl-a73b until a later store batch succeeds';
const ofClient =
  'E0819 10:42:07.118310 77125 store_py.cpp:495] Failed to allocate buffer for put_parts operation, key: vllm@m@1@0@33, total size: 50331676';
const ofTriton = [
  'I0911 06:40:12.887301 1 grpc_server.cc:2463] "Started GRPCInferenceService at 0.0.0.0:8001"',
  'W0914 17:22:50.031876 1 pinned_memory_manager.cc:170] "failed to allocate pinned system memory, falling back to non-pinned system memory"',
].join('\n');

describe('a pool that is full', () => {
  it.each([
    ['LMCache', `${ofLmcache}\n${SERVES}`],
    ['the store of Mooncake', `${ofMooncake}\n${SERVES}`],
    ['buffers of Triton', ofTriton],
    ['the buffer of a client of Mooncake', `${ofClient}\n${SERVES}`],
  ])('beside the pool of the engine takes nobody out of the batch: %s', async (_whose, log) => {
    expect(await verdictOf(log)).toMatchObject({
      cause: 'none.other',
      finding: 'none-side-pool',
      certain: false,
    });
  });

  it('of the engine itself is told before one beside it', async () => {
    expect(await verdictOf(`${ofLmcache}\n${FULL}`)).not.toMatchObject({ finding: 'none-side-pool' });
  });

  it('beside the engine is not called harmless where the engine died', async () => {
    expect(await verdictOf(`${ofLmcache}\n${SERVES}\nTraceback (most recent call last):`)).toMatchObject({
      plane: 'unknown',
    });
  });

  it('makes the scheduler of TurboMind stop a pass, and no more', async () => {
    const line = '[TM][INFO][2026-04-02 15:20:31.402][scheduler.cc:1186] out of memory at 37/64';

    expect(await verdictOf(line)).toMatchObject({ cause: 'none.preemption-warning', certain: false });
  });

  it('of HiSparse lies in RAM, and the scheduler dies of it', async () => {
    const log = [
      '[2026-05-19 02:14:55 TP3] Prefill batch, #new-seq: 1, #new-token: 8192, #cached-token: 90112, token usage: 0.61, #running-req: 22, #queue-req: 9',
      '[2026-05-19 02:14:57 TP3] HiSparse: host mem pool alloc failed for 98304 tokens (req b1f06d5c)',
      '[2026-05-19 02:14:57 TP3] Scheduler hit an exception: Traceback (most recent call last):',
      '  File "/x/sglang/srt/managers/scheduler_output_processor_mixin.py", line 196, in process_batch_result_prefill',
    ].join('\n');

    expect(await verdictOf(log)).toMatchObject({ plane: 'host', phase: 'burst', cause: 'host.offload' });
  });
});

const METAL =
  'libc++abi: terminating due to uncaught exception of type std::runtime_error: [METAL] Command buffer execution failed: Insufficient Memory (00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)';

it('prompts that a server of MLX keeps on the device end no server of llama.cpp, whose flags are its own', async () => {
  const own = 'error: Insufficient Memory (00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)';

  expect(await valueIn(logged(METAL), 'engine.name')).toBeUndefined();
  expect(await valueIn(logged(own), 'engine.name')).toBe('llama.cpp');
});

it('a server that keeps KV blocks for engines is no engine', async () => {
  const files = {
    'describe.txt':
      'Containers:\n  server:\n    Command: vllm serve some/model\n    Limits:\n      memory:  40Gi\n    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n',
    'incident.json': '{"uptime":"hours"}',
  };

  expect((await verdictOfFiles(files)).phase).not.toBe('prefix-cache');
});
