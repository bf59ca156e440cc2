import { describe, expect, it } from 'vitest';
import { type Raised, tracebackOf, verdictOf } from '../raised-error.ts';

describe('an error that names a setting', () => {
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
