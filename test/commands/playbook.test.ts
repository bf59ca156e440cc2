import { describe, expect, it } from 'vitest';
import { playbookExplain, playbookGraph, playbookLint, playbookTest } from '../../src/commands/playbook.ts';
import { playbookActions, playbookFacts, playbookSchema } from '../../src/commands/playbook-lists.ts';
import type { Terminal } from '../../src/commands/terminal.ts';
import { OomError } from '../../src/model/errors.ts';
import type { Facts } from '../../src/model/fact.ts';
import { diagnose } from '../../src/playbook/diagnose.ts';
import type { PlaybookSource } from '../../src/playbook/merge.ts';
import { recordTerminal } from '../fakes/terminal.ts';
import { CATALOGUES, factsOf, fixture, playbookOf, smallText } from '../playbook/builders.ts';

const CASES = fixture('oom/findings/gpu.cases.yaml');

function aTerminal(width = 100): Terminal & { readonly lines: string[]; readonly faults: string[] } {
  const lines: string[] = [];
  const faults: string[] = [];
  const out = (text: string) => void lines.push(...text.split('\n'));
  const err = (text: string) => void faults.push(...text.split('\n'));
  return { ...recordTerminal().terminal, lines, faults, out, err, width };
}

const file = (path: string, text: string): PlaybookSource => ({ root: 'playbooks', path, text });

function setUp({ playbook = smallText(), cases = CASES, more = [] as PlaybookSource[], width = 100 } = {}) {
  const terminal = aTerminal(width);
  const files = [file('oom/playbook.yaml', playbook), file('oom/findings/gpu.cases.yaml', cases), ...more];
  const asked: (readonly string[])[] = [];
  const readIncident = async (folders: readonly string[]): Promise<Facts> => {
    asked.push(folders);
    throw new OomError('no-folder', 'no such folder', { next: 'Check the name.' });
  };
  const diagnose = async () => {
    throw new Error('no signature is read');
  };
  const deps = { terminal, catalogues: CATALOGUES, readFiles: async () => files, readIncident, diagnose };
  return { terminal, asked, deps };
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
      'playbooks/oom/playbook.yaml:48:18           no finding called gpu-edg, did you mean gpu-edge?',
      'playbooks/oom/findings/gpu.cases.yaml:1:29  no fact called gpu.wnt, did you mean gpu.want?',
      '2 problems',
    ]);
  });

  it('fails for a warning as well', async () => {
    const { deps, terminal } = setUp({
      playbook: smallText(['thresholds:', 'thresholds:\n  spare: { value: 1, why: w, source: s }']),
    });

    expect(await playbookLint(deps)).toBe(1);
    expect(terminal.lines[0]).toMatch(/:5:3 +warning: no condition uses threshold spare$/);
  });

  it('reads the profiles of a folder of one’s own', async () => {
    const profile =
      '  - engine: vllm\n    profile: emergency\n    says: x\n    set: [{ flag: --swap, to: 1, why: x }]\n';
    const text = `schema: 1\nfractions: []\nprofiles:\n${profile}`;
    const { deps, terminal } = setUp({ more: [{ root: '/my', path: 'engines/vllm/profiles.yaml', text }] });

    expect(await playbookLint(deps)).toBe(1);
    expect(terminal.lines[0]).toMatch(/^\/my\/engines\/vllm\/profiles\.yaml:7.*no flag --swap/);
  });
});

describe('oom playbook test', () => {
  it('says nothing but the sum where all is well', async () => {
    const { deps, terminal } = setUp();

    expect(await playbookTest(deps, { strict: true })).toBe(0);
    expect(terminal.lines).toEqual(['16 passed, 0 failed']);
  });

  it('shows a table of what the cases cover with --verbose', async () => {
    const { deps, terminal } = setUp();

    expect(await playbookTest(deps, { strict: true, verbose: true })).toBe(0);
    expect(terminal.lines[0]).toMatch(/^branch +hit +on-the-line +near-miss +evidence-gone$/);
    expect(terminal.lines.find((line) => line.startsWith('which-memory/gpu'))).toMatch(/ 12 +- +\d+ +1$/);
    expect(terminal.lines.at(-1)).toBe('16 passed, 0 failed');
  });

  it('shows the same below each branch where the terminal is too narrow for columns', async () => {
    const { deps, terminal } = setUp({ width: 40 });

    await playbookTest(deps, { verbose: true });

    const at = terminal.lines.indexOf('gpu-pattern/prefix-cache');
    expect(terminal.lines.slice(at + 1, at + 3)).toEqual([
      expect.stringMatching(/^ {4}hit \d+, on-the-line \d+, near-miss$|^ {4}hit \d+, on-the-line \d+, near-miss \d+,$/),
      expect.stringMatching(/evidence-gone \d+$/),
    ]);
    expect(terminal.lines.filter((line) => line.length > 40)).toEqual([]);
  });

  it('shows the case that fails with its place and what differs', async () => {
    const { deps, terminal } = setUp({ playbook: smallText(['at-least: $pool-full', 'above: $pool-full']) });

    expect(await playbookTest(deps)).toBe(1);
    expect(terminal.lines).toContainEqual(
      expect.stringMatching(/^playbooks\/oom\/findings\/gpu\.cases\.yaml:\d+:5 {2}exactly on the line counts as full$/),
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

  it('names missing kinds of cases, and fails for them with strict', async () => {
    const cases = CASES.replace(/ {2}- name: metrics gone\n.*\n.*\n/, '');
    const { deps, terminal } = setUp({ cases });

    expect(await playbookTest(deps)).toBe(0);
    expect(await playbookTest(deps, { strict: true })).toBe(1);
    const said = ['branch gpu-pattern/prefix-cache has no case of kind evidence-gone', '15 passed, 0 failed'];
    expect(terminal.lines).toEqual([...said, ...said]);
  });

  it('looks for an incident beside the playbook, own directories first', async () => {
    const { deps, asked } = setUp({
      cases: 'cases: [{ name: n, incident: lost, expect: { plane: gpu } }]',
      more: [{ root: '/etc/oom', path: 'platform/team.yaml', text: '' }],
    });

    expect(await playbookTest(deps)).toBe(1);
    expect(asked).toEqual([['/etc/oom/oom/incidents/lost', 'playbooks/oom/incidents/lost']]);
  });

  describe('with a folder of one’s own', () => {
    const OWN_CASES = 'cases: [{ name: n, given: { gpu.oom-logged: true }, expect: { plane: gpu } }]';
    const own = (path: string, text: string): PlaybookSource => ({ root: '/my', path, text });

    it('holds its playbook against the shipped cases, and says whose those are that fail', async () => {
      const wrong = own('oom/playbook.yaml', smallText(['at-least: $pool-full', 'above: $pool-full']));
      const { deps, terminal } = setUp({ more: [wrong] });

      expect(await playbookTest(deps)).toBe(1);
      expect(terminal.lines.at(-2)).toMatch(/^1 failed case is built in\..*add --own\.$/);
      expect(terminal.lines.at(-1)).toBe('15 passed, 1 failed');
    });

    it('leaves the shipped cases out with --own, and still names what its own do not cover', async () => {
      const more = [own('oom/playbook.yaml', smallText()), own('oom/findings/mine.cases.yaml', OWN_CASES)];
      const { deps, terminal } = setUp({ more });

      expect(await playbookTest(deps, { own: true })).toBe(1);
      expect(terminal.lines).toContain('no case takes branch which-memory/ram');
      expect(terminal.lines.at(-1)).toBe('1 passed, 0 failed');
    });

    it('asks own cases of the shipped playbook for no coverage of it', async () => {
      const { deps, terminal } = setUp({ more: [own('oom/findings/mine.cases.yaml', OWN_CASES)] });

      expect(await playbookTest(deps, { own: true })).toBe(0);
      expect(terminal.lines).toEqual(['1 passed, 0 failed']);
    });

    it('says so where --own leaves nothing', async () => {
      const { deps } = setUp();

      const next = expect.stringContaining('--dir');
      await expect(playbookTest(deps, { own: true })).rejects.toMatchObject({ code: 'bad-input', next });
    });
  });
});

describe('oom playbook explain, graph and lists', () => {
  it('explains a snapshot', () => {
    const { terminal } = setUp();
    const facts = factsOf({ 'gpu.oom-logged': false, 'death.oom-killed': false });

    const exit = playbookExplain(terminal, diagnose(playbookOf(smallText()), facts, 'some-folder'));

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

  describe('the facts', () => {
    const listed = (options: Parameters<typeof playbookFacts>[1], width = 100) => {
      const { deps, terminal } = setUp({ width });
      const code = playbookFacts(deps, options);
      const ids = terminal.lines.filter((line) => !line.startsWith(' ')).map((line) => line.split(' ')[0]);
      const { lines, faults: err } = terminal;
      return { code, ids, lines, text: lines.join(' ').replace(/\s+/g, ' '), err };
    };

    it.each([100, 80, 40])('are all listed within %i columns, their ids whole', (width) => {
      const { ids, lines } = listed({}, width);

      expect(ids).toEqual(CATALOGUES.facts.map(({ id }) => id));
      expect(lines.filter((line) => line.length > width)).toEqual([]);
    });

    it('show some of many values, and all of them where one fact is asked for', () => {
      const many = CATALOGUES.facts.find(({ values }) => (values?.length ?? 0) > 20);

      expect(listed({}).text).toContain(`${many?.values?.[5]} and ${(many?.values?.length ?? 0) - 6} more`);
      expect(listed({ word: many?.id }).text).toContain(many?.values?.join(', '));
      expect(listed({ word: 'kernel.oom-kill' }).text).toMatch(/^kernel\.oom-kill choice .*: container, .*, no$/);
    });

    it('are found by name and sentence, and by values only where that finds none', () => {
      const byName = listed({ word: 'kv-cache' });
      const byValue = listed({ word: 'kv-room' });

      expect(byName.ids.every((id) => id?.startsWith('kv-cache.'))).toBe(true);
      expect(byName.err).toEqual([
        expect.stringMatching(/^\d+ more facts? ha(?:s|ve) "kv-cache" as a value: add --values$/),
      ]);
      expect(byValue.ids).toContain('evidence.cause');
      expect(byValue.text).toContain(': gpu.startup.kv-room,');
      expect(byValue.err).toEqual(['no fact with "kv-room" in its name or text; these have it as a value']);
    });

    it('say so where nothing has the word', () => {
      const err = ['no fact with "zzz" in its name, text or values'];
      expect(listed({ word: 'zzz' })).toMatchObject({ code: 1, lines: [], err });
    });
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
