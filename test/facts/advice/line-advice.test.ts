import { expect, it } from 'vitest';
import { diagnoseFiles, known } from '../incident.ts';

it('the message of an eviction alone tells for what', async () => {
  const text = 'The node was low on resource: pids. Threshold quantity: 100, available: 3.\n';
  const { facts, diagnosis } = await diagnoseFiles({ 'describe.txt': text });

  expect(facts.get('death.evicted-for')).toMatchObject({ value: 'pids' });
  expect(diagnosis.verdict).toMatchObject({ plane: 'none', finding: 'none-evicted', certain: true });
});

it('V0 names the length in its refusal, and what fits is proposed without the arguments', async () => {
  const refusal =
    "ValueError: The model's max seq len (32768) is larger than the maximum number of tokens that can be stored in KV cache (7344). Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.\n";

  const { diagnosis } = await diagnoseFiles({ 'previous.log': refusal });

  expect(diagnosis.says).toContain('would hold 7,344 tokens.');
  expect(diagnosis.verdict.remedies[0]?.edits).toMatchObject([{ flag: '--max-model-len', from: '32768', to: '6976' }]);
});

it('what TGI itself tells to lower is offered in its own words', async () => {
  const refusal =
    'Not enough memory to handle 16000 total tokens with 2 prefill tokens. You need to decrease `--max-batch-total-tokens` or `--max-batch-prefill-tokens`\n';
  const incident = known({ engine: 'text-generation-inference', uptime: 'startup' });

  const { diagnosis } = await diagnoseFiles({ 'previous.log': refusal, ...incident });

  expect(diagnosis.verdict.remedies.map(({ says }) => says)).toContain(
    'Or lower the settings that the log line names: --max-batch-total-tokens --max-batch-prefill-tokens.',
  );
});
