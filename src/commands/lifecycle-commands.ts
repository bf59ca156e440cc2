import type { Command } from 'commander';
import type { CommandContext } from './context.ts';
import { addFreeWords } from './free-words.ts';

const COMMANDS = [
  ['ack', '[incident]', 'Show others that you are on an incident (default: the only open one)'],
  ['resolve', '[incident] [reason]', 'Close an incident; it reopens on the next failure'],
  ['changes', '[patch <change>]', 'List temporary changes by expiry, or print the patch for Git'],
  ['feedback', '<incident> yes|no [finding] [note]', 'Say if a finding was right, or name the real cause'],
] as const;

/** What becomes of incidents, in the store of the configuration. Its parts are loaded when they run. */
export function addLifecycleCommands(program: Command, context: CommandContext): void {
  for (const [verb, words, says] of COMMANDS) {
    addFreeWords(program.command(verb).description(says), words).action(async (given: string[]) => {
      const { runLifecycle } = await import('./lifecycle.ts');
      context.exit(await runLifecycle(context, verb, given));
    });
  }
  const HANDOVERS = [
    ['handover', '[incident]', 'What the next shift must know, or the five points of one incident'],
    ['silence', '[workload] [4h|off] [reason]', 'Keep a workload out of shift handovers, or list silences'],
  ] as const;
  for (const [verb, words, says] of HANDOVERS) {
    addFreeWords(program.command(verb).description(says), words).action(async (given: string[]) => {
      const { runHandover } = await import('./handover.ts');
      context.exit(await runHandover(context, verb, given));
    });
  }
  addFreeWords(
    program.command('history').description('List open and closed incidents, newest first'),
    '[workload] [page]',
  )
    .option('--cause <words...>', 'Only this cause, category or finding, such as `cuda oom` or `gpu.startup`')
    .option('--since <time>', 'Only incidents seen since then: 7d, 12h, 2026-11-01 or 2026-11-01T08:30 (UTC)')
    .option('--until <time>', 'Only incidents opened until then')
    .option('--accuracy', 'Show how often each finding was right, by feedback', false)
    .action(async (given: string[], options: HistoryOptions) => {
      const { runLifecycle } = await import('./lifecycle.ts');
      context.exit(await runLifecycle(context, 'history', [...given, ...historyWords(options)]));
    });
  program
    .command('export')
    .description('Save the post-mortem draft and the evidence of an incident')
    .argument('[incident...]', 'Incident (default: the only open one)')
    .requiredOption('-o, --output <folder>', 'Folder for both files')
    .action(async (given: string[], options: { output: string }) => {
      const { runExport } = await import('./lifecycle.ts');
      context.exit(await runExport(context, given, options));
    });
}

type HistoryOptions = {
  readonly cause?: readonly string[];
  readonly since?: string;
  readonly until?: string;
  readonly accuracy: boolean;
};

// As they are typed in Slack, so that one parser reads both.
function historyWords({ cause, since, until, accuracy }: HistoryOptions): readonly string[] {
  return [
    ...(since === undefined ? [] : ['--since', since]),
    ...(until === undefined ? [] : ['--until', until]),
    ...(accuracy ? ['--accuracy'] : []),
    ...(cause === undefined ? [] : ['--cause', ...cause]),
  ];
}
