import { expect, it } from 'vitest';
import { logged, valueIn } from '../incident.ts';

const AT = '[2026-07-10 10:00:00 TP0]';

it.each([
  [
    'vLLM',
    'Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: 0.0 tokens/s, Running: 0 reqs, Waiting: 27 reqs, GPU KV cache usage: 99.1%',
    0,
  ],
  [
    'SGLang, decoding',
    `${AT} Decode batch. #running-req: 3, #token: 900, token usage: 0.97, gen throughput (token/s): 80.1, #queue-req: 4`,
    3,
  ],
  [
    'SGLang, a prompt that is being read is at work',
    `${AT} Prefill batch. #new-seq: 1, #new-token: 8192, #cached-token: 0, token usage: 0.97, #running-req: 0, #queue-req: 4`,
    1,
  ],
])('how many requests are at work, by the line of figures: %s', async (_name, line, running) => {
  expect(await valueIn(logged(line), 'requests.running')).toBe(running);
});
