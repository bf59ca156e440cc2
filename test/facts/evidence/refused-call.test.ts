import { describe, expect, it } from 'vitest';
import { type Raised, tracebackOf, verdictOf } from '../raised-error.ts';

describe('an error that names a setting', () => {
  it.each<Raised>([
    [
      'ValueError',
      "VLLM_PORT 'tcp://172.20.118.4:8000' appears to be a URI. This may be caused by a Kubernetes service discovery issue,check the warning in: https://docs.vllm.ai/en/latest/configuration/env_vars.html",
      'vllm/envs.py',
      'get_vllm_port',
    ],
    [
      'ValueError',
      'LMCACHE_COORDINATOR_HEARTBEAT_INTERVAL is not a number: x',
      'lmcache/v1/config.py',
      'read_interval',
    ],
    [
      'ValueError',
      '--ssl-keyfile requires --ssl-certfile to be specified as well.',
      'sglang/srt/server_args.py',
      'check',
    ],
    [
      'RuntimeError',
      'world_size (4) is not equal to tensor_model_parallel_size (8) x pipeline_model_parallel_size (1)',
      'vllm/distributed/parallel_state.py',
      'initialize_model_parallel',
    ],
    [
      'AssertionError',
      'tp_size must be divisible by number of nodes',
      'sglang/srt/server_args.py',
      'check_server_args',
    ],
  ])('is a wrong setting, whenever it was raised: %s: %s', async (...raised) => {
    expect(await verdictOf(tracebackOf(raised))).toMatchObject({ cause: 'none.config', certain: true });
  });

  it.each<Raised>([
    [
      'ValueError',
      'You must set `--enable-mm-embeds` to input `image_embeds`',
      'vllm/entrypoints/chat_utils.py',
      'parse',
    ],
    [
      'AssertionError',
      'Expected total tokens 4096 % tp_size 8 to be 0',
      'sglang/srt/layers/communicator.py',
      'scatter',
    ],
    ['RuntimeError', 'Set VLLM_USE_V1=0', 'vllm/v1/engine/core.py', 'step'],
  ])('is left open where a request or a step may have met it: %s: %s', async (...raised) => {
    expect(await verdictOf(tracebackOf(raised))).toMatchObject({ cause: 'none.other', certain: false });
  });
});

describe('an error that is answered', () => {
  const raised = [
    'Invocation of add_lora method failed',
    '  File "/x/vllm/lora/peft_helper.py", line 122, in validate_legal',
    'ValueError: LoRA rank 64 is greater than max_lora_rank 16.',
  ].map((text) => `(EngineCore pid=94) ERROR 05-06 17:15:38 [core.py:1299] ${text}`);
  const answered = (path: string, status: string) =>
    [...raised, `(APIServer pid=1) INFO:     10.1.7.9:40010 - "POST ${path} HTTP/1.1" ${status}`].join('\n');

  it.each(['500 Internal Server Error', '200 OK', '499 Client Closed Request'])(
    'with %s is no call that was refused',
    async (status) => {
      expect((await verdictOf(answered('/v1/load_lora_adapter', status))).finding).not.toBe('none-call-refused');
    },
  );
});
