import { expect, it } from 'vitest';
import { readRequestShape } from '../../src/actions/request-shape.ts';

// As vllm/logging_utils/dump_input.py prints it (0.11), shortened.
const DUMP =
  'ERROR 08-01 12:00:00 [dump_input.py:79] Dumping scheduler output for model execution: SchedulerOutput(' +
  'scheduled_new_reqs=[NewRequestData(req_id=cmpl-1,prompt_token_ids_len=32000,mm_features=[],' +
  'sampling_params=SamplingParams(n=1, temperature=0.0, max_tokens=2048, min_tokens=0),block_ids=([1, 2],),num_computed_tokens=0), ' +
  'NewRequestData(req_id=cmpl-2,prompt_token_ids_len=900,sampling_params=SamplingParams(n=1, max_tokens=64))], ' +
  'num_scheduled_tokens={cmpl-1: 7292, cmpl-2: 900, cmpl-3: 1}, total_num_scheduled_tokens=8193, scheduled_spec_decode_tokens={})';

it.each([
  ['new requests', DUMP, { promptTokens: 32_000, concurrency: 3, maxTokens: 2048 }],
  [
    'a request that goes on, which is as long as its chunk at least',
    'scheduled_new_reqs=[], num_scheduled_tokens={chatcmpl-1: 8192}, total_num_scheduled_tokens=8192',
    { promptTokens: 8192, concurrency: 1, maxTokens: 16 },
  ],
  ['the total alone', 'total_num_scheduled_tokens=512)', { promptTokens: 512, concurrency: 1, maxTokens: 16 }],
  ['another line', 'torch.OutOfMemoryError: CUDA out of memory.', undefined],
  ['an empty step', 'num_scheduled_tokens={}, total_num_scheduled_tokens=0', undefined],
])('the shape of the requests in a step that died of %s', (_, line, expected) => {
  expect(readRequestShape(line)).toEqual(expected);
});
