import { describe, expect, it } from 'vitest';
import { verdictOf } from '../raised-error.ts';

const full = [64, 2, 1].map(
  (n) => `update_slots : failed to find free space in the KV cache, retrying with smaller n_batch = ${n}`,
);
const decode = 'update_slots : failed to decode the batch, n_batch = 1, ret = 1';
const left = 'unexpected error in llama server update_slots - exiting main loop';

it('a server that leaves its loop for want of cells has not only refused a request', async () => {
  expect(await verdictOf([...full, decode, left, 'llama server shutting down'].join('\n'))).toMatchObject({
    plane: 'gpu',
    phase: 'burst',
    cause: 'gpu.burst.concurrency',
  });
  expect(await verdictOf([...full, decode].join('\n'))).toMatchObject({
    plane: 'none',
    cause: 'none.request-rejected',
  });
});

describe('what a parent ends is no kill', () => {
  const error = [
    'Traceback (most recent call last):',
    '  File "/x/mii/batching/ragged_batching.py", line 77, in __init__',
    '    self.scheduled_req_blocks = torch.zeros(inference_engine.n_kv_cache_groups,',
    "AttributeError: 'InferenceEngineV2' object has no attribute 'n_kv_cache_groups'",
  ];
  const killing = '[2023-11-27 19:15:37,906] [INFO] [launch.py:315:sigkill_handler] Killing subprocess 7591';
  const ended = (code: number) =>
    `[2023-11-27 19:15:37,906] [ERROR] [launch.py:321:sigkill_handler] ['/usr/bin/python'] exits with return code = ${code}`;

  it('where the launcher of DeepSpeed ends the others below an error', async () => {
    expect(await verdictOf([...error, killing, ended(1)].join('\n'))).toMatchObject({ plane: 'none' });
    expect(await verdictOf([killing, ended(-9)].join('\n'))).toMatchObject({ plane: 'host', certain: false });
  });

  it('where a worker of V0 was asked to end', async () => {
    const died = (code: number) =>
      `ERROR 02-24 14:40:19 multiproc_worker_utils.py:122] Worker VllmWorkerProcess pid 36445 died, exit code: ${code}\nINFO 02-24 14:40:19 multiproc_worker_utils.py:126] Killing local vLLM worker processes`;

    expect(await verdictOf(died(-15))).toMatchObject({ plane: 'none', cause: 'none.other', certain: false });
    expect(await verdictOf(died(-9))).toMatchObject({ plane: 'host', certain: false });
  });
});
