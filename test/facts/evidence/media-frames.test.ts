import { expect, it } from 'vitest';
import { diagnoseFiles, type Files, logged, valueOfFact } from '../incident.ts';

const diagnosed = (log: readonly string[], more: Files = {}) =>
  diagnoseFiles({ ...logged(...log), 'incident.json': '{"engine":"transformers"}', ...more });

const refused = (want: string) =>
  `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate ${want}. GPU 0 has a total capacity of 39.50 GiB of which 1.20 GiB is free. Including non-PyTorch memory, this process has 38.29 GiB memory in use. Of the allocated memory 36.00 GiB is allocated by PyTorch, and 1.10 GiB is reserved by PyTorch but unallocated.`;
const frame = (file: string, name: string) => `  File "/env/site-packages/${file}", line 77, in ${name}`;

const GENERATES = [frame('transformers/generation/utils.py', 'generate'), '    result = self._sample('];

it('a step of the tower of a model that takes images is none where it is that of the language model, which has a batch before its heads', async () => {
  const step = '    attn_weights = torch.matmul(query_states, key_states.transpose(2, 3)) / math.sqrt(self.head_dim)';
  const log = ['Traceback (most recent call last):', ...GENERATES, '[...]', step, refused('6.10 GiB')];

  expect((await diagnosed(log)).diagnosis.verdict.cause).toBe('gpu.burst.long-context');
});

const LOOP = frame('transformers/generation/continuous_batching/continuous_api.py', '_forward_and_sample');

it.each([
  ['gpu.burst.logits', '    logits = logits.float()  # one row for each token'],
  ['gpu.burst.logits', '    logprobs = torch.log_softmax(scores, dim=-1)'],
  ['gpu.burst.long-context', '    weights = router_logits.float()'],
  ['gpu.burst.long-context', '    states = states.float()'],
])('logits that are made into 32 bits: %s: %s', async (cause, call) => {
  expect(
    (await diagnosed(['Traceback (most recent call last):', LOOP, call, refused('6.10 GiB')])).diagnosis.verdict,
  ).toMatchObject({ plane: 'gpu', phase: 'burst', cause });
});

it.each([
  [true, { 'args.txt': 'lmdeploy serve api_server /models/some-vl-34b --server-port 80\n' }],
  [true, { 'args.txt': 'python3 -m vllm.entrypoints.openai.api_server /models/GLM-4.5V -tp 4\n' }],
  [false, { 'args.txt': 'lmdeploy serve api_server /models/some-34b --server-port 80\n' }],
  [undefined, { 'args.txt': 'lmdeploy lite auto_awq /models/some-vl-34b\n' }],
])('what tells that a model takes images, video or audio: %s: %o', async (expected, files) => {
  expect(valueOfFact((await diagnosed([], { 'incident.json': '{}', ...files })).facts, 'engine.multimodal')).toBe(
    expected,
  );
});
