import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { unboxed } from '../../../src/facts/log/traceback.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const WIDTH = 76;
const box = (...inner: readonly string[]) => inner.map((text) => `│ ${text.padEnd(WIDTH)} │`).join('\n');
const BOTTOM = `╰${'─'.repeat(WIDTH + 2)}╯`;

async function diagnosed(log: string) {
  const files = {
    'previous.log': `${log}\n`,
    'incident.json': JSON.stringify({ engine: 'text-generation-inference' }),
  };
  return diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
}

describe('a traceback that rich draws', () => {
  const refused = box(
    '/usr/src/server/text_generation_server/models/custom_modeling/flash_qwen2_mo',
    'deling.py:94 in __init__',
    '',
    '   93 │   │   if self.num_heads % weights.process_group.size() != 0:',
    '❱  94 │   │   │   raise ValueError(',
  );
  const value = 'ValueError: `num_heads` must be divisible by `num_shards` (got `num_heads`: 28';

  it('reads as the interpreter would print it', () => {
    expect(unboxed(refused.split('\n'))).toEqual([
      '',
      '  File "/usr/src/server/text_generation_server/models/custom_modeling/flash_qwen2_modeling.py", line 94, in __init__',
      '',
      '',
      '    raise ValueError(',
    ]);
    expect(unboxed(['| a table | of figures |', 'plain'])).toEqual(['| a table | of figures |', 'plain']);
  });

  it('shows that an error ended the start, and of what it is', async () => {
    const { diagnosis } = await diagnosed(`${refused}\n${BOTTOM}\n${value}`);

    expect(diagnosis.verdict).toMatchObject({ plane: 'none', cause: 'none.config', certain: true });
  });

  it('near miss: an error that nothing shows the way of', async () => {
    const { diagnosis } = await diagnosed(`WARN ${value}`);

    expect(diagnosis.verdict).toMatchObject({ certain: false });
  });

  it.each([
    ['warmup', '❱ 1130 │   │   │   _, batch, _ = self.generate_token(batch)', 'profile'],
    ['generate_token', '❱ 1130 │   │   │   out, speculative_logits = self.forward(batch)', 'execute'],
  ])('tells the step by its function, and not by the code around the call: %s', async (name, call, stage) => {
    const frame = box(
      `/usr/src/server/text_generation_server/models/flash_causal_lm.py:1130 in ${name}`,
      '',
      '  1129 │   │   self.load_weights(capture_graph())',
      call,
    );
    const { facts } = await diagnosed(`${frame}\n${BOTTOM}\ntorch.OutOfMemoryError: CUDA out of memory.`);

    expect(facts.get('log.stage')).toMatchObject({ value: stage });
  });

  it('what the launcher says of a shard that could not start tells the time', async () => {
    const { facts } = await diagnosed(
      'RuntimeError: something\n2025-03-08T09:00:12Z ERROR launcher: Shard 3 failed to start',
    );

    expect(facts.get('failure.life')).toMatchObject({ value: 'starting' });
  });
});
