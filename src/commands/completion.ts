import { Argument, type Command, type Option } from 'commander';
import { flaggedEngines, flagNames } from '../model/flag-table.ts';
import { completionScript, SHELLS, type Shell } from './completion-script.ts';
import type { CommandContext } from './context.ts';

const EXAMPLES = `
Set it up:
  bash    source <(oom completion bash)       in ~/.bashrc
  zsh     source <(oom completion zsh)        in ~/.zshrc, after compinit
  fish    oom completion fish > ~/.config/fish/completions/oom.fish`;

/** `oom completion bash|zsh|fish`: a script with every command, option, topic, engine and flag; elsewhere files complete. */
export function addCompletionCommand(program: Command, { terminal, knowledge }: CommandContext): void {
  program
    .command('completion')
    .description('Print the completion script of a shell')
    .addArgument(new Argument('<shell>', 'Shell').choices(SHELLS))
    .addHelpText('after', EXAMPLES)
    .action(async (shell: Shell) => {
      const words = new Map<string, readonly string[]>();
      addWords(words, program, '');
      const { topics } = await knowledge();
      words.set('explain', [...(words.get('explain') ?? []), ...topics(), ...flaggedEngines(), ...flagNames()]);
      terminal.out(completionScript(shell, words));
    });
}

// What may follow a command, and what may follow each of its options that has a fixed set of values.
function addWords(words: Map<string, readonly string[]>, command: Command, path: string): void {
  const options = command.createHelp().visibleOptions(command);
  words.set(path, [
    ...command.commands.map((one) => one.name()),
    ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    ...options.flatMap(({ long }) => long ?? []),
  ]);
  for (const option of options.filter(({ argChoices }) => argChoices !== undefined))
    for (const flag of flagsOf(option)) words.set(`${path} ${flag}`, option.argChoices ?? []);
  for (const one of command.commands) addWords(words, one, path === '' ? one.name() : `${path} ${one.name()}`);
}

function flagsOf({ short, long }: Option): readonly string[] {
  return [short, long].filter((flag) => flag !== undefined);
}
