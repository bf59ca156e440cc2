import type { Command } from 'commander';
import type { CommandContext } from './context.ts';

const COMMANDS = [
  ['ack', '[incident]', 'say that you are on an incident; the only open one where none is named'],
  ['resolve', '[incident] [reason]', 'close an incident; it reopens if it fails again'],
  ['feedback', '<incident> yes|no [finding] [note]', 'say whether a finding was right, and if not, what it was'],
] as const;

/** What becomes of incidents, in the store of the configuration. Its parts are loaded when they run. */
export function addLifecycleCommands(program: Command, context: CommandContext): void {
  for (const [verb, words, says] of COMMANDS) {
    program
      .command(verb)
      .description(says)
      .argument('[words...]', words)
      .action(async (given: string[]) => {
        const { runLifecycle } = await import('./lifecycle.ts');
        context.exit(await runLifecycle(context, verb, given));
      });
  }
  program
    .command('history')
    .description('incidents, open and closed, the one seen last first')
    .argument('[words...]', '[workload] [page]')
    .option('--accuracy', 'how often each finding was right, by feedback', false)
    .action(async (given: string[], { accuracy }: { accuracy: boolean }) => {
      const { runLifecycle } = await import('./lifecycle.ts');
      context.exit(await runLifecycle(context, 'history', [...given, ...(accuracy ? ['--accuracy'] : [])]));
    });
}
