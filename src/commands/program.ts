import { Command, CommanderError, Help, type Option } from 'commander';
import { type Config, checkConfig, readConfig } from '../config.ts';
import { OomError } from '../model/errors.ts';
import { wrap } from '../report/terminal/text-width.ts';
import { asTyped } from '../report/terminal/typed-command.ts';
import type { Knowledge, KnowledgeOptions } from '../wire/knowledge.ts';
import { VERSION } from '../wire/version.ts';
import { addActCommands } from './act-commands.ts';
import { addBudgetCommand } from './budget.ts';
import { addCompletionCommand } from './completion.ts';
import { configCheckCommand } from './config-check.ts';
import { type CommandContext, dirsOf } from './context.ts';
import { addDemoCommand } from './demo.ts';
import { addDiagnoseCommand } from './diagnose.ts';
import { reportFault } from './fault.ts';
import { addIncidentCommands, addServeCommand } from './incident-commands.ts';
import { addLifecycleCommands } from './lifecycle-commands.ts';
import { addPlaybookCommands } from './playbook-commands.ts';
import { addStoreCommands } from './store-commands.ts';
import { EXIT, type Terminal } from './terminal.ts';

const EXAMPLES: readonly (readonly [string, string])[] = [
  ['oom triage llm/vllm-server-7d8f6f9c6b-4mnl2', 'diagnose a pod in the cluster'],
  ['oom triage vllm-server -n llm --json', 'by workload name, as JSON'],
  ['kubectl logs --previous vllm-0 | oom diagnose -', 'diagnose one log, no cluster needed'],
  ['oom collect llm/vllm-0 -o incident', 'save the redacted evidence'],
  ['oom diagnose incident other.tar.gz', 'diagnose saved evidence'],
  ['oom explain incident', 'show the reasons of a finding'],
  ['oom explain quantization', 'when it helps, and when not'],
  ['oom explain vllm', 'flags and behaviors by version; also one flag'],
  ['oom budget incident --set --max-model-len=8192', 'try a flag change'],
  ['oom plan llm/vllm-0', 'show the fix as a diff'],
];
const HELP = ['help [command]', 'Show help for a command'] as const;
const EXIT_CODES =
  'Exit codes: 0 done, 1 failed, 2 bad usage, config or file, 3 not found or ambiguous, 4 not allowed, 5 unreachable.';

function helpAfter({ width, command: start }: Terminal): string {
  const examples = EXAMPLES.map(([command, says]) => [asTyped(command, start), says] as const);
  const column = Math.max(...examples.map(([command]) => command.length)) + 4;
  const lines = examples.flatMap(([command, says]) =>
    column + says.length + 2 <= width
      ? [`  ${command.padEnd(column - 2)}${says}`]
      : [
          ...wrap(command, width - 2).map((line) => `  ${line}`),
          ...wrap(says, width - 6).map((line) => `      ${line}`),
        ],
  );
  return ['', 'Examples:', ...lines, '', ...wrap(EXIT_CODES, width)].join('\n');
}

// `(default: false)` and `(default: [])` say nothing.
function optionDescription(this: Help, option: Option): string {
  const isPlain =
    option.defaultValue === false || (Array.isArray(option.defaultValue) && option.defaultValue.length === 0);
  return isPlain ? option.description : Help.prototype.optionDescription.call(this, option);
}

type LoadKnowledge = (dirs: readonly string[], options: KnowledgeOptions) => Promise<Knowledge>;

/** The grammar of the terminal. Edges are loaded only by the commands that need them. */
export function buildProgram(
  terminal: Terminal,
  load: LoadKnowledge = async (dirs, options) => (await import('../wire/knowledge.ts')).loadKnowledge(dirs, options),
): { run(argv: readonly string[]): Promise<number> } {
  let exit: number = EXIT.ok;
  let config: Config | undefined;
  const program = new OomCommand('oom')
    .description('Find which memory an LLM pod ran out of, why, and what to do.')
    .version(VERSION, '-V, --version', 'Show the version')
    .helpOption('-h, --help', 'Show help')
    .configureHelp({ subcommandTerm: (command) => command.name(), optionDescription })
    .option('--config <file>', 'Config file (default: ./oombot.yaml, then /etc/oombot/config.yaml)')
    .option('--no-pager', 'Do not page long output ($OOM_PAGER, $PAGER or less)')
    .addHelpText('after', helpAfter(terminal))
    .configureOutput({
      writeOut: (text) => terminal.out(asTyped(text.trimEnd(), terminal.command)),
      writeErr: (text) => terminal.err(text.trimEnd()),
      getOutHelpWidth: () => terminal.width,
      getErrHelpWidth: () => terminal.width,
    })
    .showSuggestionAfterError()
    .showHelpAfterError(usageOf('oom'))
    .exitOverride();
  const configFile = () => program.opts<{ config?: string }>().config;
  const context: CommandContext = {
    terminal,
    config: () => {
      config ??= soundConfig(readConfig(configFile()));
      return config;
    },
    knowledge: (dirs) => load(dirs ?? dirsOf(context), { thresholds: context.config().playbooks.thresholds }),
    exit: (code) => {
      exit = Math.max(exit, code);
    },
  };
  program.commandsGroup('Diagnose:');
  addDiagnoseCommand(program, context);
  addIncidentCommands(program, context);
  addBudgetCommand(program, context);
  program.commandsGroup('Incidents:');
  addLifecycleCommands(program, context);
  program.commandsGroup('Changes:');
  addActCommands(program, context);
  program.commandsGroup('Try:');
  addDemoCommand(program, context);
  program.commandsGroup('Setup:').helpCommand(...HELP);
  addServeCommand(program, context);
  addPlaybookCommands(program, context);
  addStoreCommands(program, context);
  addCompletionCommand(program, context);
  program
    .command('config')
    .description('Check the configuration')
    .command('check')
    .description('List config problems, or print the config with secrets masked')
    .action(() => context.exit(configCheckCommand(terminal, checkConfig(configFile()))));
  for (const one of program.commands) if (one.commands.length > 0) one.helpCommand(...HELP);

  return {
    async run(typed) {
      const argv = typed.map(withoutLongDash);
      try {
        const help = helpAlone(program, argv);
        if (help !== undefined) help.outputHelp();
        else await program.parseAsync(upToUnknown(program, argv), { from: 'user' });
      } catch (thrown) {
        if (!(thrown instanceof CommanderError)) return reportFault(terminal, thrown);
        // Help and version end by throwing too.
        return thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
      } finally {
        terminal.flush(!argv.includes('--no-pager'));
      }
      return exit;
    },
  };
}

// Chats and documents turn -- into a long dash.
function withoutLongDash(word: string): string {
  return word.replace(/^[\u2013\u2014](?=[a-z])/, /^.[a-z]$/.test(word) ? '-' : '--');
}

// An error names the help of its own command, unless that says more.
class OomCommand extends Command {
  override createCommand(name?: string): OomCommand {
    return new OomCommand(name);
  }

  override copyInheritedSettings(parent: Command): this {
    const path = parent.parent === null ? parent.name() : `${parent.parent.name()} ${parent.name()}`;
    return super.copyInheritedSettings(parent).showHelpAfterError(usageOf(`${path} ${this.name()}`));
  }
}

function usageOf(command: string): string {
  return `For usage, type \`${command} --help\`.`;
}

function soundConfig(outcome: ReturnType<typeof readConfig>): Config {
  if (outcome.kind === 'ok') return outcome.config;
  const problems = outcome.problems.map(({ where, key, message }) =>
    [where, key, message].filter((part) => part !== '').join('  '),
  );
  throw new OomError('bad-config', `The configuration is wrong:\n${problems.join('\n')}`, {
    next: 'Fix it, then check it with `oom config check`.',
  });
}

// `oom` and `oom playbook` alone ask what there is.
function helpAlone(program: Command, argv: readonly string[]): Command | undefined {
  if (argv.length > 1) return undefined;
  const command = argv.length === 0 ? program : program.commands.find((one) => one.name() === argv[0]);
  return command !== undefined && command.commands.length > 0 ? command : undefined;
}

// After an unknown command, `--help` would answer for another one, and `help` for all.
function upToUnknown(command: Command, argv: readonly string[]): string[] {
  const [word, ...rest] = argv;
  if (word === undefined || word.startsWith('-') || command.commands.length === 0) return [...argv];
  const [named = word] = rest;
  if (word === 'help') return commandOf(command, named) === undefined && named !== 'help' ? [named] : [...argv];
  const next = commandOf(command, word);
  return next === undefined ? [word] : [word, ...upToUnknown(next, rest)];
}

function commandOf(command: Command, word: string): Command | undefined {
  return command.commands.find((one) => one.name() === word || one.aliases().includes(word));
}
