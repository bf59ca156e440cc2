import type { Command } from 'commander';
import type { CommandContext } from './context.ts';

const COMMANDS = [
  ['ack', '[incident]', 'Show others that you are on an incident (default: the only open one)'],
  ['resolve', '[incident] [reason]', 'Close an incident; it reopens on the next failure'],
  ['changes', '[patch <change>]', 'List temporary changes by expiry, or print the patch for Git'],
  ['feedback', '<incident> yes|no [finding] [note]', 'Say if a finding was right, or name the real cause'],
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
  const HANDOVERS = [
    ['handover', '[incident]', 'What the next shift must know, or the five points of one incident'],
    ['silence', '[workload] [4h|off] [reason]', 'Keep a workload out of shift handovers, or list silences'],
  ] as const;
  for (const [verb, words, says] of HANDOVERS) {
    program
      .command(verb)
      .description(says)
      .argument('[words...]', words)
      .action(async (given: string[]) => {
        const { runHandover } = await import('./handover.ts');
        context.exit(await runHandover(context, verb, given));
      });
  }
  program
    .command('history')
    .description('List open and closed incidents, newest first')
    .argument('[words...]', '[workload] [page]')
    .option('--accuracy', 'Show how often each finding was right, by feedback', false)
    .action(async (given: string[], { accuracy }: { accuracy: boolean }) => {
      const { runLifecycle } = await import('./lifecycle.ts');
      context.exit(await runLifecycle(context, 'history', [...given, ...(accuracy ? ['--accuracy'] : [])]));
    });
}
