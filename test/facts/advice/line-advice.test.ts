import { expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, BOOK, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';
import { factsOfFiles } from '../incident.ts';

it.each([['pids. Threshold quantity: 100, available: 3.', 'pids']])(
  'the message of an eviction alone tells for what: %s',
  async (resource, what) => {
    const facts = await factsOfFiles({ 'describe.txt': `The node was low on resource: ${resource}\n` });

    expect(facts.get('death.evicted-for')).toMatchObject({ value: what });
    expect(judge(facts, 'x').verdict).toMatchObject({ plane: 'none', finding: 'none-evicted', certain: true });
  },
);

it('V0 names the length in its refusal, and what fits is proposed without the arguments', async () => {
  const refusal =
    "ValueError: The model's max seq len (32768) is larger than the maximum number of tokens that can be stored in KV cache (7344). Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.\n";

  const { diagnosis } = await diagnoseSource(aSnapshot({ 'previous.log': refusal }), {
    phrases: COMPILED_PHRASES,
    judge,
    book: BOOK,
  });

  expect(diagnosis.says).toContain('All of it would hold 7,344 tokens.');
  expect(diagnosis.verdict.remedies[0]?.edits).toMatchObject([{ flag: '--max-model-len', from: '32768', to: '6976' }]);
});

it('what TGI itself tells to lower is offered in its own words', async () => {
  const refusal =
    'Not enough memory to handle 16000 total tokens with 2 prefill tokens. You need to decrease `--max-batch-total-tokens` or `--max-batch-prefill-tokens`\n';
  const incident = JSON.stringify({ engine: 'text-generation-inference', uptime: 'startup' });

  const { diagnosis } = await diagnoseSource(aSnapshot({ 'previous.log': refusal, 'incident.json': incident }), {
    phrases: COMPILED_PHRASES,
    judge,
    book: BOOK,
  });

  expect(diagnosis.verdict.remedies.map(({ says }) => says)).toContain(
    'Or lower what the line itself names: --max-batch-total-tokens --max-batch-prefill-tokens.',
  );
});
