import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/model/message.ts';
import { explainMessages } from '../../../src/report/explain.ts';
import { anInput } from '../../report/inputs.ts';
import { diagnoseFiles } from '../incident.ts';

const REFUSED = (length: number) =>
  `ValueError: The model's max seq len (${length}) is larger than the maximum number of tokens that can be stored in KV cache (1024). Try increasing \`gpu_memory_utilization\` or decreasing \`max_model_len\` when initializing the engine.`;

async function diagnosed(version: string) {
  const banner = `INFO 02-01 09:00:11 [api_server.py:1896] vLLM API server version ${version}`;
  return diagnoseFiles({ 'previous.log': `${banner}\n${REFUSED(4096)}\n` });
}

function textOf(message: Message | undefined): string {
  return (message?.blocks ?? [])
    .map((block) => (block.kind === 'paragraph' ? block.spans.map((s) => ('text' in s ? s.text : '')).join('') : ''))
    .join('\n');
}

describe('a line that the known version does not print', () => {
  it('decides all the same, and explain says that the two do not fit', async () => {
    const { facts, diagnosis } = await diagnosed('0.15.4');

    expect(diagnosis.verdict).toMatchObject({ plane: 'gpu', cause: 'gpu.startup.kv-room' });
    expect(facts.get('log.version-misfit')).toMatchObject({
      value: expect.stringContaining('vllm 0.15.4 is not known to print'),
      from: [{ line: 2 }, { line: 1 }],
    });
    expect(textOf(explainMessages(anInput({ facts, diagnosis }))[0])).toContain('Contradiction: vllm 0.15.4');
  });

  it.each(['0.6.3', '0.10.1', '0.1.dev1'])('is nothing to tell at version %s', async (version) => {
    const { facts, diagnosis } = await diagnosed(version);

    expect(facts.get('log.version-misfit')).toMatchObject({ kind: 'unknown' });
    expect(textOf(explainMessages(anInput({ facts, diagnosis }))[0])).not.toContain('Does not fit');
  });
});
