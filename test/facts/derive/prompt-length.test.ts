import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const FAILED = 'CUDA error: out of memory';

async function diagnosed(log: readonly string[], notes?: string) {
  const files = {
    'previous.log': `${log.join('\n')}\n`,
    ...(notes === undefined ? {} : { 'metrics.txt': `${notes}\n` }),
  };
  return diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
}

describe('the length of the prompt of that moment', () => {
  it.each([
    [
      95938,
      'time=2025-03-07T08:41:43Z level=DEBUG source=cache.go:104 msg="loading cache slot" id=0 cache=0 prompt=95938 used=0 remaining=95938',
    ],
    [18000, 'slot update_slots: id  0 | task 7 | new prompt, n_ctx_slot = 32768, n_keep = 0, n_prompt_tokens = 18000'],
    [18001, 'slot update_slots: id  0 | task 7 | new prompt, n_ctx_slot = 32768, n_keep = 0, task.n_tokens = 18001'],
  ])('%s, as the server prints it', async (tokens, line) => {
    const { facts } = await diagnosed([line, FAILED]);

    expect(facts.get('requests.prompt-seen')).toMatchObject({ kind: 'known', value: tokens });
  });

  it('is that of the last prompt above the failure', async () => {
    const slot = (tokens: number) => `slot update_slots: id  0 | task 7 | new prompt, n_prompt_tokens = ${tokens}`;
    const { facts } = await diagnosed([slot(100), slot(9000), FAILED, slot(50)]);

    expect(facts.get('requests.prompt-seen')).toMatchObject({ value: 9000 });
  });

  it.each([
    [245000, 'prompt: about 245k tokens'],
    [12000, '12k-token prompt, max_tokens 4: fails\n5k-token prompt, 8k output: fine'],
    [20500, 'a prompt with ~20,500 tokens'],
  ])('%s, as somebody noted it', async (tokens, notes) => {
    const { facts } = await diagnosed([FAILED], notes);

    expect(facts.get('requests.prompt-seen')).toMatchObject({ value: tokens });
  });

  it.each([
    [110000, '# fails each time a context of about 110k comes'],
    [9400, '# prompt of 9.4k tokens to the adapter'],
    [200000, '# needle-in-a-haystack test with contexts up to 200K'],
    [32000, '# fails with 32k prompts'],
    [undefined, '# started with a 32k context'],
    [undefined, '# a context of about 110k is fine'],
    [undefined, '# a context of 48kB'],
  ])('%s, as a remark between the lines tells it: %s', async (tokens, remark) => {
    const { facts } = await diagnosed([remark, FAILED]);
    const found = facts.get('requests.prompt-seen');

    expect(found?.kind === 'known' ? found.value : undefined).toBe(tokens);
  });

  it('a slot with room for a long context tells nothing of a short prompt', async () => {
    const { diagnosis } = await diagnosed([
      'slot update_slots: id  0 | task 0 | new prompt, n_ctx_slot = 49152, n_keep = 0, n_prompt_tokens = 700',
      'slot update_slots: id  0 | task 0 | kv cache rm [0, end)',
      FAILED,
      '  current device: 1, in function alloc at /x/ggml/src/ggml-cuda/ggml-cuda.cu:450',
    ]);

    expect(diagnosis.verdict).toMatchObject({ plane: 'gpu', phase: 'burst', cause: 'gpu.burst.headroom' });
  });

  it.each(['400000 prompts of 100 words', 'prompt throughput: 9000 tokens/s', 'prompt_tokens_total 900000'])(
    'no length: %s',
    async (notes) => {
      const { facts } = await diagnosed([FAILED], notes);

      expect(facts.get('requests.prompt-seen')?.kind).toBe('unknown');
    },
  );

  it('makes a refusal without a size that of a long prompt', async () => {
    const { diagnosis } = await diagnosed([
      'slot update_slots: id  0 | task 7 | new prompt, n_ctx_slot = 131072, n_keep = 0, n_prompt_tokens = 95938',
      FAILED,
    ]);

    expect(diagnosis.verdict).toMatchObject({ phase: 'burst', cause: 'gpu.burst.long-context', causeCertain: false });
  });
});
