import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/playbook/diagnose.ts';
import { explain, PLAIN } from '../../src/playbook/explain.ts';
import { drawGraph } from '../../src/playbook/graph.ts';
import { playbookJsonSchema } from '../../src/playbook/json-schema.ts';
import { CATALOGUES, factsOf, playbookOf, smallText, unknown } from './builders.ts';

describe('explaining', () => {
  const facts = factsOf({
    'gpu.oom-logged': true,
    'engine.became-ready': true,
    'death.uptime': unknown('budget'),
    'gpu.want': 2 ** 24,
    'prefix-cache.enabled': false,
  });
  const diagnosis = diagnose(playbookOf(smallText()), facts, 'vllm-edge');

  it('shows the answer, each condition with the value seen, and what is missing', () => {
    const lines = explain(diagnosis).map((line) => line.replace(/ {2,}/g, ' '));

    expect(lines.slice(0, 3)).toEqual([
      'vllm-edge: GPU memory is used to the edge',
      'gpu / burst / gpu.burst.headroom, confidence: unclear (finding gpu-edge)',
      'A small allocation of 16 MiB failed.',
    ]);
    expect(lines).toContain('which-memory: Which memory failed?');
    expect(lines).toContain(' + gpu: yes');
    expect(lines).toContain(' ? startup: unknown');
    expect(lines).toContain(' death.uptime below 10 min ($startup-window) unknown seen: not known (budget)');
    expect(lines).toContain(' gpu.want at-most 1 GiB ($small-want) yes seen: 16 MiB');
    expect(lines).toContain(' ? gpu-pattern/startup (would lead to gpu-startup)');
    expect(lines.find((line) => line.startsWith(' death.uptime: budget; needs'))).toBeDefined();
    expect(lines).toContain(' The allocation that failed: 16 MiB (gpu.want)');
    expect(lines.indexOf('Evidence:')).toBeLessThan(lines.indexOf('which-memory: Which memory failed?'));
  });

  it('asks each question once', () => {
    expect(explain(diagnosis).filter((line) => line.startsWith('gpu-pattern:'))).toHaveLength(1);
  });

  it('lines up the answers, with colour as without', () => {
    const columns = explain(diagnosis)
      .filter((line) => line.includes('  seen: '))
      .map((line) => line.indexOf('  seen: '));
    const red = explain(diagnosis, { ...PLAIN, yellow: (text) => `<${text}>` });

    expect(new Set(columns).size).toBe(1);
    expect(red).toContain('<  ? startup: unknown>');
  });
});

describe('the graph', () => {
  it('holds every question, finding and branch', () => {
    const graph = drawGraph(playbookOf(smallText()));

    expect(graph).toMatch(/^flowchart TD\n/);
    expect(graph).toContain('  q_which-memory{"Which memory failed?"}\n');
    expect(graph).toContain('  f_gpu-edge["gpu-edge<br/>gpu"]\n');
    expect(graph).toContain('q_which-memory -->|"1. gpu: gpu.oom-logged is yes"| q_gpu-pattern\n');
    expect(graph).toContain('death.oom-killed is yes and not (kernel.oom-kill in [node, unstated])"| f_ram-limit\n');
    expect(graph).toContain('q_gpu-pattern -->|"otherwise"| f_gpu-unexplained\n');
  });

  it('keeps signs that mean something to Mermaid out of its labels', () => {
    const graph = drawGraph(playbookOf(smallText(['ask: Which memory failed?', `ask: 'A "#1" <b>?'`])));

    expect(graph).toContain('q_which-memory{"A #quot;#35;1#quot; #lt;b#gt;?"}');
  });
});

describe('the schema for editors', () => {
  const schema = playbookJsonSchema(CATALOGUES);

  it('is the file that stands beside the playbooks; `oom playbook schema` prints it anew', () => {
    const file = join(import.meta.dirname, '../../playbooks/schemas/playbook.schema.json');

    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(schema);
  });

  it('completes facts and actions', () => {
    const text = JSON.stringify(schema);

    expect(text).toContain('"kv-cache.used-share"');
    expect(text).toContain('"restart-drained"');
  });

  it('allows exactly one comparison of a fact', () => {
    const { condition } = schema.definitions as { condition: { oneOf: { required: string[] }[] } };

    expect(condition.oneOf).toContainEqual({ required: ['fact', 'at-least'] });
    expect(condition.oneOf).toContainEqual({ required: ['all'] });
  });
});
