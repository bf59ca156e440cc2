import { describe, expect, it } from 'vitest';
import type { Fact, FactValue } from '../../src/model/fact.ts';
import type { Cause } from '../../src/model/taxonomy.ts';
import { fixMessages, fixYaml } from '../../src/report/permanent-fix.ts';
import { poolWords } from '../../src/report/request-pools.ts';
import { drawMessage } from '../../src/slack/draw/message.ts';
import { validateMessage } from '../../src/slack/limits/message-limits.ts';
import { exampleDiagnosis } from '../model/examples.ts';

const factsOf = (values: Readonly<Record<string, FactValue>>): ReadonlyMap<string, Fact> =>
  new Map(
    Object.entries(values).map(([id, value]) => [
      id,
      { kind: 'known', value, from: [{ kind: 'field', file: 'pod.json', path: '/x', text: String(value) }] },
    ]),
  );

describe('separate pools for long and short requests', () => {
  it.each([
    [
      'gpu.burst.long-context',
      { 'requests.prompt-p95': 1000, 'engine.max-model-len': 131_072 },
      'serve long prompts from a second deployment. Short pool: --context-length of 1,000 plus',
    ],
    [
      'gpu.burst.long-context',
      { 'requests.prompt-p95': 32_768, 'engine.max-model-len': 131_072 },
      'serve long prompts from a second',
    ],
    [
      'gpu.burst.long-context',
      { 'requests.prompt-p95': 32_769, 'engine.max-model-len': 131_072 },
      'one pool is enough',
    ],
    ['gpu.startup.kv-room', { 'engine.max-model-len': 131_072 }, 'No data: the evidence has no prompt lengths'],
    ['gpu.burst.concurrency', { 'requests.prompt-p95': 1000 }, 'the maximum length is unknown'],
    ['gpu.startup.weights', { 'requests.prompt-p95': 1000, 'engine.max-model-len': 131_072 }, undefined],
  ] as const)('for %s with %o', (cause, facts, says) => {
    const told = poolWords(cause as Cause, factsOf({ 'engine.name': 'sglang', ...facts }));

    expect(told).toEqual(says && expect.stringContaining(says));
  });
});

describe('a patch of a permanent fix', () => {
  const hostile = '* <!channel> `x` \n| cell';
  const yaml = `${Array.from({ length: 300 }, (_, i) => `line${i}: ${'y'.repeat(100)}`).join('\n')}\n`;
  const patch = {
    of: 'workload' as const,
    yaml,
    values: [{ label: hostile, from: hostile, to: null }],
    needs: [hostile],
  };
  const explained = {
    subject: `llm/Deployment/${'v'.repeat(250)}`,
    typed: `./${'v'.repeat(250)}`,
    diagnosis: exampleDiagnosis,
    facts: factsOf({ 'engine.name': 'vllm', 'gpu.product': 'NVIDIA-H100-80GB-HBM3' }),
    fix: { patches: [{ ...patch, object: `Deployment/${'v'.repeat(250)}` }], byHand: Array(30).fill(hostile) },
  };

  it('of any length and wording fits into Slack, and is whole as YAML', () => {
    const messages = fixMessages(explained);

    expect(messages).toHaveLength(2);
    expect(messages.flatMap((message) => validateMessage(drawMessage(message)))).toEqual([]);
    const drawn = JSON.stringify(messages.map(drawMessage));
    expect(drawn).toContain('220 more lines are not shown.');
    for (const line of yaml.split('\n').slice(0, 80)) expect(drawn).toContain(line);
    expect(fixYaml(explained)).toContain('line299: ');
  });
});
