import { describe, expect, it } from 'vitest';
import { reportFault } from '../../src/commands/fault.ts';
import { orNoFolder, orTakesNoFolder } from '../../src/commands/folder-words.ts';
import { sayData } from '../../src/commands/output-format.ts';
import { buildProgram } from '../../src/commands/program.ts';
import { harmless, startedBy, terminalWidths } from '../../src/commands/terminal.ts';
import { OomError } from '../../src/model/errors.ts';
import { asTyped } from '../../src/report/terminal/typed-command.ts';
import { loadOnce } from '../fakes/knowledge.ts';
import { recordTerminal, runOom } from '../fakes/terminal.ts';

describe('the width', () => {
  it.each([
    ['a terminal that knows its width', 80, {}, 80, 80],
    ['a terminal that calls it 0', 0, {}, 100, Number.POSITIVE_INFINITY],
    ['a pipe', undefined, {}, 100, Number.POSITIVE_INFINITY],
    ['a pipe that is told', undefined, { COLUMNS: '40' }, 40, 40],
    ['a pipe that is told nonsense', undefined, { COLUMNS: 'wide' }, 100, Number.POSITIVE_INFINITY],
    ['a very wide terminal', 300, {}, 120, 300],
  ])('of %s', (_name, columns, env, width, tableWidth) => {
    expect(terminalWidths(columns, env)).toEqual({ width, tableWidth });
  });

  it('cuts no cell of a table in a pipe', async () => {
    const shown = async (words: readonly string[], tableWidth: number): Promise<readonly string[]> => {
      const { terminal, told } = recordTerminal();
      await buildProgram({ ...terminal, tableWidth }, loadOnce).run(words);
      return told().out.split('\n');
    };
    const some = ['probe-kill', 'startup-utilization'].map((name) => `playbooks/oom/incidents/${name}`);

    for (const [words, row] of [
      [['diagnose', ...some], /^(?:probe-kill|startup-utilization) {2}/],
      [['explain', 'vllm'], /^ {2}┃ /],
    ] as const) {
      const rows = async (width: number) => (await shown(words, width)).filter((line) => row.test(line));
      const [cut, whole] = [await rows(60), await rows(Number.POSITIVE_INFINITY)];
      expect(cut.filter((line) => line.endsWith('…')).length).toBeGreaterThan(0);
      expect(whole.filter((line) => line.endsWith('…'))).toEqual([]);
      expect(whole.filter((line) => line.length > 100).length).toBeGreaterThan(0);
    }
  });

  it('is kept by the help', async () => {
    const { terminal, told } = recordTerminal();

    await buildProgram(terminal).run(['--help']);

    const lines = told().out.split('\n');
    expect(lines.filter((line) => line.length > terminal.width)).toEqual([]);
  });
});

describe('a command to be pasted', () => {
  // As npm 11 sets them.
  const NPX = { npm_command: 'exec', npm_lifecycle_event: 'npx', npm_lifecycle_script: "'oom'" };

  it.each([
    ['by npx in a clone', NPX, 'npx oom'],
    ['by its own name', {}, 'oom'],
    ['by npx -p', { ...NPX, npm_config_package: 'oombot' }, 'oom'],
    ['by npx from the registry', NPX, 'oom', 'file:///root/.npm/_npx/1f/node_modules/oombot/dist/oom.mjs'],
    ['below another command of npx', { ...NPX, npm_lifecycle_script: 'vitest' }, 'oom'],
    ['below npm run', { ...NPX, npm_command: 'run-script' }, 'oom'],
  ])('begins as oombot was started: %s', (_name, env, command, code?: string) => {
    expect(startedBy(env, code)).toBe(command);
  });

  it.each([
    [
      ['--help'],
      /^Usage: npx oom \[[\s\S]*^ {2}npx oom triage llm[\s\S]*^ {2}kubectl logs \S+ \S+ \| npx oom diagnose -/m,
    ],
    [['plan', '--help'], /^ {2}npx oom plan inc_/m],
    [['explain', 'topics'], /npx oom explain /],
    [['diagnose', 'playbooks/oom/incidents/probe-kill'], /→ npx oom explain playbooks/],
  ])('begins so in the answer to %s', async (words, says) => {
    const { terminal, told } = recordTerminal();

    await buildProgram({ ...terminal, command: 'npx oom' }, loadOnce).run(words);

    expect(told().out).toMatch(says);
    expect(told().out).not.toMatch(/(?<!npx\s)\boom (?:explain|triage|plan|diagnose) /);
  });

  it('begins so in errors, and a label stays', () => {
    expect(asTyped('oom: No. Try `oom status`.\noom diagnose: x: `oom explain <id>`', 'npx oom')).toBe(
      'oom: No. Try `npx oom status`.\noom diagnose: x: `npx oom explain <id>`',
    );
  });
});

describe('foreign text', () => {
  const EVIL = 'a\u001b[2J\u001b]0;title\u0007\u009b2J\u202e\rb';

  it('does nothing on stderr, which keeps its colours', () => {
    const shown = harmless(`\u001b[31moom: ${EVIL}\u001b[39m\nnext`, true);

    expect(shown).toBe('\u001b[31moom: a^[[2J^[]0;title^G\\u009b2J\\u202e^Mb\u001b[39m\nnext');
  });

  it('has no colours on stderr where there are none', () => {
    expect(harmless('\u001b[31ma', false)).toBe('^[[31ma');
  });

  it('does nothing in JSON, and is the same when it is read', () => {
    const { terminal, told } = recordTerminal();

    sayData(terminal, 'json', { id: EVIL });

    expect(told().out).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(JSON.parse(told().out)).toEqual({ id: EVIL });
  });

  it('shows no secret in a fault', () => {
    const { terminal, told } = recordTerminal();

    reportFault(terminal, new OomError('cluster-refused', 'Denied: --api-key s3cretpass', { next: 'x' }));

    expect(told().err).toContain('Denied: --api-key [redacted:');
  });
});

it.each(['plan', 'approve', 'changes', 'feedback', 'handover', 'history', 'silence'])(
  'the usage of %s names what may be typed',
  async (command) => {
    const { terminal, told } = recordTerminal();

    await buildProgram(terminal).run([command, '--help']);

    const lines = told().out.split('\n');
    expect(lines[0]).toMatch(/^Usage: oom \S+ \[options\] [<[](?!words)/);
    expect(lines.filter((line) => line.length > terminal.width)).toEqual([]);
  },
);

const FOLDER = 'playbooks/oom/incidents';
const HEALTHY = `${FOLDER}/healthy`;

const noCluster = async () => {
  throw new OomError('bad-config', 'No cluster is known.', { next: 'Set KUBECONFIG.' });
};

describe('a folder or an id where Name a pod here', () => {
  it.each([
    [
      ['plan', HEALTHY],
      /takes a pod or a stored incident, but .*healthy is a folder/,
      /`oom budget .*healthy --profile/,
    ],
    [['plan', HEALTHY, 'set-args', '--profile=emergency'], /healthy is a folder/, /`oom explain .*healthy`/],
    [['triage', HEALTHY, '-n', 'llm'], /`oom triage` takes a pod, but/, /`oom diagnose .*healthy`/],
    [['collect', HEALTHY, '-o', 'x'], /`oom collect` takes a pod, but/, /`oom diagnose .*healthy`/],
    [['plan', 'plan_k3x'], /plan_k3x is a plan id/, /`oom approve plan_k3x`.*Name an incident here/],
    [['triage', 'run_k3x'], /run_k3x is a run id/, /Name a pod here/],
    [['budget', 'inc_k3x'], /inc_k3x is an incident id/, /`oom explain inc_k3x`/],
    [['explain', 'plan_k3x'], /plan_k3x is a plan id/, /^(?!.*no folder).*`oom approve plan_k3x`/m],
    [['plan', './nosuch'], /“\.\/nosuch” is not a valid Kubernetes name/, /Type `\[cluster/],
    [['budget', FOLDER, 'healthy'], /Unexpected “healthy” after folder .*incidents\./, /Name one folder/],
    [['explain', HEALTHY, HEALTHY], /healthy” after folder .*healthy\./, /Name one folder/],
    [['budget', 'nosuch/x/y', 'healthy'], /Unknown cluster nosuch/, /No folder nosuch\/x\/y healthy either/],
  ] as const)('%j is told as what it is', async (words, says, next) => {
    const { code, err } = await runOom(words);

    expect(code).toBe(2);
    expect(err).toMatch(says);
    expect(err).toMatch(next);
  });

  it('may bear the name of a pod: what is missing to read that is told first', async () => {
    const say = (folder: string) => ({ takes: 'x', next: `look into ${folder}` });

    await expect(orTakesNoFolder(['test'], say, noCluster)).rejects.toMatchObject({
      code: 'bad-config',
      message: 'No cluster is known.',
      next: 'Set KUBECONFIG. test is also a folder: look into test',
    });
    await expect(orTakesNoFolder(['vllm-0'], say, noCluster)).rejects.toMatchObject({ next: 'Set KUBECONFIG.' });
  });
});

describe('mistyped words', () => {
  it.each([
    ['doctor', '--help'],
    ['playbook', 'nosuch', '--help'],
    ['help', 'nosuch'],
    ['playbook', 'help', 'nosuch'],
  ])('are not answered with the help of another command: %s %s', async (...words) => {
    const { code, err } = await runOom(words);

    expect(code).toBe(2);
    expect(err).toMatch(/unknown command/);
  });

  it('name the help of their own command', async () => {
    const { err } = await runOom(['playbook', 'facts', '--nosuch']);

    expect(err).toContain('For usage, type `oom playbook facts --help`.');
  });

  it('of a group: its help lists its own commands, and nothing of a group of another one', async () => {
    const { out } = await runOom(['playbook']);

    expect(out).toMatch(/\n {2}schema .*\n {2}help .*$/);
    expect(out).not.toContain('Setup:');
  });

  it.each(['–json', '—json', '—output=json'])('may have a long dash: %s', async (option) => {
    const { out } = await runOom(['diagnose', HEALTHY, option]);

    expect(JSON.parse(out)).toMatchObject({ id: 'healthy' });
  });

  it('of another word get no suggestion', async () => {
    const { err } = await runOom(['explain', 'foo']);

    expect(err).toContain('No incident foo.');
    expect(err).not.toContain('Did you mean');
  });

  it('that are a pod and no file name the command for pods', async () => {
    const { code, err } = await runOom(['diagnose', 'llm/vllm-0']);

    expect(code).toBe(2);
    expect(err).toContain('oom diagnose: No file or folder llm/vllm-0.');
    expect(err).toContain('`oom triage llm/vllm-0`');
  });

  it('are no folder either where no cluster is known', async () => {
    await expect(orNoFolder(['nosuch'], noCluster)).rejects.toMatchObject({
      code: 'bad-config',
      next: 'No folder nosuch either. Set KUBECONFIG.',
    });
    await expect(orNoFolder(['a', 'b'], noCluster)).rejects.toMatchObject({ next: 'Set KUBECONFIG.' });
  });
});
