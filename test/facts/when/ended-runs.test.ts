import { describe, expect, it } from 'vitest';
import { diagnoseFiles, type Files, known } from '../incident.ts';

const diagnosed = (files: Files) => diagnoseFiles({ ...known({ engine: 'vllm' }), ...files });

const at = (time: string, text: string) => `(EngineCore_DP0 pid=200) ERROR 09-14 ${time} [core.py:710] ${text}`;
const READY = 'INFO:     Application startup complete.';
const BANNER = (time: string) =>
  `(APIServer pid=1) INFO 09-14 ${time} [api_server.py:1896] vLLM API server version 0.11.0`;
const FATAL = [
  BANNER('10:00:00'),
  READY,
  at('14:05:13', 'EngineCore encountered a fatal error.'),
  at('14:05:13', 'Traceback (most recent call last):'),
  at('14:05:13', '  File "/usr/lib/vllm/v1/engine/core.py", line 701, in run_engine_core'),
];
const GPU = [
  ...FATAL,
  at(
    '14:05:13',
    'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.71 GiB. GPU 0 has a total capacity of 79.14 GiB of which 1.20 GiB is free.',
  ),
];
const ASSERT = [...FATAL, at('14:05:13', 'AssertionError: num_computed_tokens is negative')];
const REJECTED =
  "(APIServer pid=1) ERROR 09-14 14:07:45 [serving_chat.py:200] ValueError: This model's maximum context length is 40960 tokens. However, you requested 50000 tokens in the messages, Please reduce the length of the messages.";
const PREEMPTED =
  'WARNING 09-14 14:07:45 [scheduler.py:1] Sequence group 0 is preempted by PreemptionMode.RECOMPUTE mode because there is not enough KV cache space.';
const ILLEGAL = at('14:09:13', 'torch.AcceleratorError: CUDA error: an illegal memory access was encountered');
const AGAIN = BANNER('14:05:40');

const text = (...lines: readonly string[]) => `${lines.join('\n')}\n`;

describe('a log that is still written', () => {
  it.each([
    ['the run that starts now says nothing', [AGAIN], GPU, 'gpu'],
    ['the run that serves now says nothing', [AGAIN, READY], GPU, 'gpu'],
    ['the run that serves now warns of preempted requests', [AGAIN, READY, PREEMPTED], GPU, 'gpu'],
    ['the run that serves now refused a request', [AGAIN, READY, REJECTED], GPU, 'gpu'],
    ['two runs below said nothing', [AGAIN, READY, AGAIN], GPU, 'gpu'],
    ['the run above ended on an error of its own', [AGAIN], ASSERT, 'none'],
    ['the run that is looked at ended itself', [AGAIN, READY, ILLEGAL], GPU, 'none'],
  ])('tells of the last run that ended: %s', async (_name, below, above, plane) => {
    expect((await diagnosed({ 'current.log': text(...above, ...below) })).diagnosis.verdict).toMatchObject({
      plane,
      certain: true,
    });
  });

  it('gives the run that ended its own time of life and its own last words', async () => {
    const { facts } = await diagnosed({ 'current.log': text(...ASSERT, AGAIN, REJECTED) });

    expect(facts.get('failure.life')).toMatchObject({ value: 'serving' });
    expect(facts.get('log.exception')).toMatchObject({ value: expect.stringContaining('num_computed_tokens') });
  });
});

it.each([
  ['an error of the run above is not what the last one ended on', [AGAIN], ASSERT],
  ['a traceback of the run above does not make an error of one that was refused', [AGAIN, READY, REJECTED], GPU],
])('a log that ended with its container: %s', async (_name, below, above) => {
  const { diagnosis, facts } = await diagnosed({ 'previous.log': text(...above, ...below) });

  expect(facts.get('log.exception-ended')).not.toMatchObject({ value: true });
  expect(diagnosis.verdict.certain).toBe(false);
});
