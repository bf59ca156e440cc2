import { describe, expect, it } from 'vitest';
import { diagnoseFiles, type Files } from '../incident.ts';

async function planeOf(files: Files): Promise<string> {
  const { diagnosis } = await diagnoseFiles(files);
  return `${diagnosis.verdict.plane}${diagnosis.verdict.certain ? ', certain' : ''}`;
}

const READY = '[2025-05-08 10:00:05] The server is fired up and ready to roll!\n';
const CHILD = '[2025-05-08 11:12:03] Child process unexpectedly failed with exitcode=9. pid=212\n';
const LOW =
  'Windows successfully diagnosed a low virtual memory condition. The following programs consumed the most virtual memory: chrome.exe (4120) consumed 61234567168 bytes\n';
const STARTED = 'INFO 02-01 06:36:05 api_server.py:921] Started server process\n';
const VLLM =
  'INFO 09-14 10:00:01 [api_server.py:1839] vLLM API server version 0.11.0\n(APIServer pid=1) INFO:     Application startup complete.\n';

function dump(sampling: string, behind: string): string {
  const of = '(EngineCore_DP0 pid=2) ERROR 09-14 10:47:09';
  return (
    `${VLLM}${of} [dump_input.py:76] Dumping scheduler output for model execution: SchedulerOutput(scheduled_new_reqs=[NewRequestData(req_id=chatcmpl-1,prompt_token_ids_len=300,sampling_params=SamplingParams(n=1, ${sampling}),block_ids=([1, 2],),num_computed_tokens=0)], num_scheduled_tokens={chatcmpl-1: 300}, total_num_scheduled_tokens=300)\n` +
    `${of} [dump_input.py:79] Dumping scheduler stats: SchedulerStats(num_running_reqs=1, num_waiting_reqs=0, kv_cache_usage=0.0065)\n` +
    `${of} [core.py:710] EngineCore encountered a fatal error.\n${behind}`
  );
}

const WAITED =
  '(EngineCore pid=145) ERROR 06-24 11:03:12 [core.py:398] EngineCore encountered a fatal error.\n(EngineCore pid=145) ERROR 06-24 11:03:12 [core.py:398]   File "/opt/vllm/v1/executor/multiproc_executor.py", line 181, in collective_rpc\n(EngineCore pid=145) ERROR 06-24 11:03:12 [core.py:398]     status, result = w.worker_response_mq.dequeue(\n';

describe('a line that is not of what failed', () => {
  it.each([
    [
      'none, certain',
      'a warning of the system about another program, before a fault of the GPU',
      { 'previous.log': `${STARTED}${LOW}CUDA error: an illegal memory access was encountered\n` },
    ],
    [
      'none',
      'a child that was ended in an orderly stop',
      {
        'previous.log': `${READY}[2025-05-08 11:12:02] SIGTERM received. signum=None frame=None. Draining requests and shutting down...\n${CHILD}`,
      },
    ],
  ])('%s: %s', async (plane, _of, files) => {
    expect(await planeOf(files)).toBe(plane);
  });

  it.each([
    [
      'unknown',
      'a small step whose worker is gone',
      dump(
        'prompt_logprobs=None',
        'ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n',
      ),
      '',
    ],
    ['unknown', 'a small step that scores its prompt', dump('prompt_logprobs=20', ''), ''],
    ['unknown', 'the same beside figures of RAM', `${VLLM}${WAITED}`, 'vllm-0   3900m   64900Mi memory\n'],
  ])('%s: %s', async (plane, _of, log, metrics) => {
    const args = 'vllm serve some/model --max-num-batched-tokens 16384\n';
    expect(await planeOf({ 'previous.log': log, 'args.txt': args, 'metrics.txt': metrics })).toBe(plane);
  });
});

describe('an answer of a pool that was taken for rows', () => {
  const log = (name: string) =>
    `${READY}Traceback (most recent call last):\n  File "/sglang/srt/managers/router/infer_batch.py", line 203, in prepare_for_extend\n    rows = ${name}.cpu().numpy()\nAttributeError: 'NoneType' object has no attribute 'cpu'\n`;

  it.each([
    ['gpu', 'req_pool_indices'],
    ['none, certain', 'token_ids'],
  ])('%s: %s', async (plane, name) => {
    expect(await planeOf({ 'previous.log': log(name).replace('rows', name) })).toBe(plane);
  });
});
