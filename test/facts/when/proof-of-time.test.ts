import { describe, expect, it } from 'vitest';
import { logged, valueIn, verdictOfFiles } from '../incident.ts';

const OOM =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 300.00 MiB. GPU 0 has a total capacity of 23.50 GiB of which 290.00 MiB is free. Of the allocated memory 21.20 GiB is allocated by PyTorch, and 230.00 MiB is reserved by PyTorch but unallocated.';
const describe3 = (seconds: number, restarts: number) => `Name: vllm-0
Containers:
  vllm:
    Image: vllm/vllm-openai:v0.11.0
    State: Waiting
      Reason: CrashLoopBackOff
    Last State: Terminated
      Reason: OOMKilled
      Exit Code: 137
      Started: Tue, 03 Feb 2026 09:00:10 +0000
      Finished: Tue, 03 Feb 2026 09:00:${10 + seconds} +0000
    Restart Count: ${restarts}
`;

describe('when a failure was', () => {
  it.each([
    ['what only a running V1 front end prints', [OOM, 'AsyncLLM output_handler failed.'], 'serving'],
    ['the callback of the background loop of V0', [OOM, 'handle: <Handle _log_task_completion(cb)>'], 'serving'],
    ['an encoder frame alone', [`  File "/v/models/qwen2_5_vl.py", line 338, in forward`, OOM], undefined],
  ])('%s', async (_, lines, life) => {
    expect(await valueIn(logged(...lines), 'failure.life')).toBe(life);
  });

  it.each([
    [3, 61, 'starting'],
    [3, 2, undefined],
    [40, 61, undefined],
  ])('a life of %d s, %d times', async (seconds, restarts, life) => {
    expect(await valueIn({ 'describe.txt': describe3(seconds, restarts) }, 'failure.life')).toBe(life);
  });

  it.each([
    ['the pool', 'KV Cache is allocated. #tokens: 200000, K size: 14.00 GB, V size: 14.00 GB', 'kv-cache'],
    [
      'the capture',
      'Capture cuda graph begin. This can take up to several minutes. avail mem=10.90 GB',
      'graph-capture',
    ],
    ['nothing past the load', 'Load weight end. type=Foo, dtype=torch.bfloat16, avail mem=40.10 GB', 'load'],
  ])('a constructor frame after %s', async (_, milestone, stage) => {
    const at = '[2026-03-03 03:03:03 TP0]';
    const frame = '  File "/sglang/srt/layers/attention/flashinfer_backend.py", line 180, in __init__';

    expect(await valueIn(logged(`${at} ${milestone}`, frame, OOM), 'log.stage')).toBe(stage);
  });
});

describe('an orderly shutdown', () => {
  const SERVED = 'INFO:     10.0.0.7:5 - "POST /v1/completions HTTP/1.1" 200 OK';
  const TOLD =
    '(EngineCore pid=2) INFO 11-28 14:16:33 [core.py:1454] [shutdown] EngineCore: trigger received signal=SIGTERM';
  const DIED = '(APIServer pid=1) ERROR 11-28 14:16:33 [async_llm.py:906] AsyncLLM output_handler failed.';

  it('is one where it was told before its requests failed, and none where an error came first', async () => {
    const traceback = ['Traceback (most recent call last):', 'ValueError: some error of its own'];

    expect(await valueIn(logged(SERVED, TOLD, DIED, ...traceback), 'log.terminated')).toBe(true);
    expect(await valueIn(logged(SERVED, ...traceback, TOLD), 'log.terminated')).toBe(false);
  });

  it('of a served engine is no failure', async () => {
    expect(await verdictOfFiles(logged(SERVED, TOLD, DIED))).toMatchObject({ plane: 'none', cause: 'none.other' });
  });
});
