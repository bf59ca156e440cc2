import { describe, expect, it } from 'vitest';
import {
  playbookActions,
  playbookExplain,
  playbookFacts,
  playbookGraph,
  playbookLint,
  playbookSchema,
  playbookTest,
} from '../../src/commands/playbook.ts';
import type { Terminal } from '../../src/commands/terminal.ts';
import { OomError } from '../../src/model/errors.ts';
import type { Facts } from '../../src/model/fact.ts';
import { diagnose } from '../../src/playbook/diagnose.ts';
import { PLAIN } from '../../src/playbook/explain.ts';
import type { PlaybookSource } from '../../src/playbook/merge.ts';
import { CATALOGUES, factsOf, fixture, playbookOf, smallText } from '../playbook/builders.ts';

const CASES = fixture('oom/cases/gpu.yaml');

function aTerminal(): Terminal & { readonly lines: string[]; readonly faults: string[] } {
  const lines: string[] = [];
  const faults: string[] = [];
  return {
    lines,
    faults,
    out: (text) => void lines.push(...text.split('\n')),
    err: (text) => void faults.push(...text.split('\n')),
    progress: () => {},
    width: 100,
    paint: PLAIN,
    unicode: true,
  };
}

const file = (path: string, text: string): PlaybookSource => ({ root: 'playbooks', path, text });

function setUp({ playbook = smallText(), cases = CASES, more = [] as PlaybookSource[] } = {}) {
  const terminal = aTerminal();
  const files = [file('oom/playbook.yaml', playbook), file('oom/cases/gpu.yaml', cases), ...more];
  const asked: (readonly string[])[] = [];
  const readIncident = async (folders: readonly string[]): Promise<Facts> => {
    asked.push(folders);
    throw new OomError('no-folder', 'no such folder', { next: 'Check the name.' });
  };
  return { terminal, asked, deps: { terminal, catalogues: CATALOGUES, readFiles: async () => files, readIncident } };
}

describe('oom playbook lint', () => {
  it('counts what it found sound', async () => {
    const { deps, terminal } = setUp();

    expect(await playbookLint(deps)).toBe(0);
    expect(terminal.lines).toEqual(['ok  playbook small, version 1: 2 questions, 6 findings, 16 cases']);
  });

  it('shows problems of playbook and cases as file:line:column, aligned', async () => {
    const { deps, terminal } = setUp({
      playbook: smallText(['finding: gpu-edge', 'finding: gpu-edg']),
      cases: 'cases: [{ name: n, given: { gpu.wnt: 1GiB }, expect: { plane: gpu } }]',
    });

    expect(await playbookLint(deps)).toBe(1);
    expect(terminal.lines).toEqual([
      'playbooks/oom/playbook.yaml:48:18  no finding called gpu-edg, did you mean gpu-edge?',
      'playbooks/oom/cases/gpu.yaml:1:29  no fact called gpu.wnt, did you mean gpu.want?',
      '2 problems',
    ]);
  });

  it('fails for a warning as well', async () => {
    const { deps, terminal } = setUp({
      playbook: smallText(['thresholds:', 'thresholds:\n  spare: { value: 1, why: w, source: s }']),
    });

    expect(await playbookLint(deps)).toBe(1);
    expect(terminal.lines[0]).toMatch(/:5:3 {2}warning: no condition uses threshold spare$/);
  });

  it('says where a playbook is missing', async () => {
    const { deps, terminal } = setUp();

    expect(await playbookLint({ ...deps, readFiles: async () => [] })).toBe(1);
    expect(terminal.lines[0]).toContain('oom/playbook.yaml:1:1');
  });
});

describe('oom playbook test', () => {
  it('passes with a table of what the cases cover', async () => {
    const { deps, terminal } = setUp();

    expect(await playbookTest(deps, { strict: true })).toBe(0);
    expect(terminal.lines[0]).toMatch(/^branch +hit +on-the-line +near-miss +evidence-gone$/);
    expect(terminal.lines.find((line) => line.startsWith('which-memory/gpu'))).toMatch(/ 12 +- +\d+ +1$/);
    expect(terminal.lines.at(-1)).toBe('16 passed, 0 failed');
  });

  it('shows the case that fails with its place and what differs', async () => {
    const { deps, terminal } = setUp({ playbook: smallText(['at-least: $pool-full', 'above: $pool-full']) });

    expect(await playbookTest(deps)).toBe(1);
    expect(terminal.lines).toContainEqual(
      expect.stringMatching(/^playbooks\/oom\/cases\/gpu\.yaml:\d+:5 {2}exactly on the line counts as full$/),
    );
    expect(terminal.lines).toContain('    finding: expected gpu-prefix-cache, got gpu-edge');
    expect(terminal.lines.at(-1)).toBe('15 passed, 1 failed');
  });

  it('fails where all cases hold and a branch or a finding is left out', async () => {
    const cases =
      'cases: [{ name: n, given: { gpu.oom-logged: true, engine.became-ready: false }, expect: { plane: gpu } }]';
    const { deps, terminal } = setUp({ cases });

    expect(await playbookTest(deps)).toBe(1);
    expect(terminal.lines).toContain('no case takes branch which-memory/ram');
    expect(terminal.lines).toContain('no case ends at finding gpu-edge');
    expect(terminal.lines.at(-1)).toBe('1 passed, 0 failed');
  });

  it('names missing kinds of cases with strict, and fails for them', async () => {
    const cases = CASES.replace(/ {2}- name: metrics gone\n.*\n.*\n/, '');
    const { deps, terminal } = setUp({ cases });

    expect(await playbookTest(deps)).toBe(0);
    expect(terminal.lines).toContain('1 kind of case is missing; --strict names what is');
    expect(await playbookTest(deps, { strict: true })).toBe(1);
    expect(terminal.lines).toContain('branch gpu-pattern/prefix-cache has no case of kind evidence-gone');
  });

  it('looks for an incident beside the playbook, own directories first', async () => {
    const { deps, asked } = setUp({
      cases: 'cases: [{ name: n, incident: lost, expect: { plane: gpu } }]',
      more: [{ root: '/etc/oom', path: 'phrases.yaml', text: '' }],
    });

    expect(await playbookTest(deps)).toBe(1);
    expect(asked).toEqual([['/etc/oom/oom/incidents/lost', 'playbooks/oom/incidents/lost']]);
  });

  it('does not walk a playbook that is broken', async () => {
    const { deps, terminal } = setUp({ playbook: 'questions: {}' });

    expect(await playbookTest(deps)).toBe(1);
    expect(terminal.lines.some((line) => line.includes('passed'))).toBe(false);
  });
});

describe('oom playbook explain, graph and lists', () => {
  it('explains a snapshot', async () => {
    const { terminal } = setUp();
    const facts = factsOf({ 'gpu.oom-logged': false, 'death.oom-killed': false });

    const exit = await playbookExplain(
      { terminal, diagnose: async (folder) => diagnose(playbookOf(smallText()), facts, folder) },
      'some-folder',
    );

    expect(exit).toBe(0);
    expect(terminal.lines[0]).toBe('some-folder: Nothing here shows which memory failed');
  });

  it('draws the graph, or says on stderr why there is none', async () => {
    const sound = setUp();
    const broken = setUp({ playbook: '[]' });

    expect(await playbookGraph(sound.deps)).toBe(0);
    expect(sound.terminal.lines[0]).toBe('flowchart TD');
    expect(await playbookGraph(broken.deps)).toBe(1);
    expect(broken.terminal.lines).toEqual([]);
    expect(broken.terminal.faults[0]).toContain('playbook.yaml:1:1  this must be a map');
  });

  it('lists facts, all or by a word, in columns', () => {
    const { deps, terminal } = setUp();

    expect(playbookFacts(deps)).toBe(0);
    expect(terminal.lines).toHaveLength(CATALOGUES.facts.length);
    terminal.lines.length = 0;
    expect(playbookFacts(deps, 'kernel.oom-kill')).toBe(0);
    expect(terminal.lines).toEqual([
      expect.stringMatching(/^kernel\.oom-kill {2}choice {2}.*: container, node, numa-nodes, unstated, no$/),
    ]);
    expect(playbookFacts(deps, 'zzz')).toBe(1);
    expect(terminal.faults[0]).toContain('no fact with "zzz"');
  });

  it('lists actions with what they take', () => {
    const { deps, terminal } = setUp();

    expect(playbookActions(deps)).toBe(0);
    expect(terminal.lines.find((line) => line.startsWith('raise-ram'))).toMatch(
      /^raise-ram +by, to, to-fact +raise the memory limit/,
    );
    expect(terminal.lines.find((line) => line.startsWith('roll-back'))).toMatch(/^roll-back +- +/);
  });

  it('prints the schema as JSON', () => {
    const { deps, terminal } = setUp();

    expect(playbookSchema(deps)).toBe(0);
    expect(JSON.parse(terminal.lines.join('\n')).title).toBe('oombot playbook');
  });
});
