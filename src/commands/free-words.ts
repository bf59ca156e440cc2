import type { Command } from 'commander';

/** Words of a command that its own parser reads; the usage line of its help says which. */
export function addFreeWords(command: Command, syntax: string, required?: string): Command {
  return command
    .argument(required === undefined ? '[words...]' : `<${required}...>`)
    .usage(['[options]', syntax].filter((part) => part !== '').join(' '));
}
